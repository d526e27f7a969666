import type { RawEntity } from '../../../model/assemble.ts';
import { isUuid } from '../../../model/derived-id.ts';
import type { JsonPath } from '../../../model/json.ts';
import { byAge, compare, type KubeObject, shownObject } from '../objects/kube-object.ts';
import { tagsOf } from '../objects/tags.ts';
import { objectsAt, textAt, textsAt } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import { rawEntity, refersTo } from './raw.ts';

/** Who asks for a certificate, where, and for which server names. */
interface Wish {
  readonly secret: KubeObject;
  readonly owner: KubeObject;
  readonly path: JsonPath;
  readonly hosts: readonly { readonly name: string; readonly path: JsonPath }[];
}

/** The certificates of a translation, with their SNIs (kic.md 6.10); equal ones of several Secrets are one. */
export class Certificates {
  readonly #to: Translation;
  readonly #wishes: Wish[] = [];
  readonly #known = new Map<KubeObject, RawEntity>();
  #entities: readonly RawEntity[] | null = null;

  constructor(to: Translation) {
    this.#to = to;
    for (const ingress of to.classes.ingresses()) this.#addTls(ingress);
    for (const ingress of to.classes.annotated('TCPIngress')) this.#addTls(ingress);
    for (const gateway of to.gateways.ours()) this.#addListeners(gateway);
  }

  /** Asks for a certificate without server names: one by which Kong shows who it is. */
  addClient(secret: KubeObject, owner: KubeObject, path: JsonPath): void {
    this.#wishes.push({ secret, owner, path, hosts: [] });
  }

  /** All certificates and SNIs that were asked for. */
  entities(): readonly RawEntity[] {
    this.#entities ??= this.#make();
    return this.#entities;
  }

  /** The certificate of a Secret, or undefined where it holds none. */
  of(secret: KubeObject): RawEntity | undefined {
    this.entities();
    return this.#known.get(secret);
  }

  #addTls(ingress: KubeObject): void {
    for (const { index, item } of objectsAt(ingress.value, 'spec', 'tls')) {
      const path = ['spec', 'tls', index];
      const [name, hosts] = [textAt(item, 'secretName') ?? '', textsAt(item, 'hosts')];
      if (name === '') continue;
      if (hosts.length === 0) {
        const hint = 'Add the host names under `hosts`.';
        const message = `The certificate ${JSON.stringify(name)} is served for no host, since none is named beside it`;
        this.#to.findings.warning('kubernetes-certificate', { object: ingress, path }, message, hint);
        continue;
      }
      const secret = this.#secret(ingress, ingress.namespace, name, [...path, 'secretName']);
      if (secret === null) continue;
      const named = hosts.map((host, at) => ({ name: host, path: [...path, 'hosts', at] }));
      this.#wishes.push({ secret, owner: ingress, path: [...path, 'secretName'], hosts: named });
    }
  }

  #addListeners(gateway: KubeObject): void {
    const { gateways, grants, findings } = this.#to;
    for (const { tls, hostname, path } of gateways.listeners(gateway)) {
      const refs = objectsAt(tls ?? undefined, 'certificateRefs');
      const [first, second] = refs;
      if (first === undefined) continue;
      const at = [...path, 'tls', 'certificateRefs', first.index];
      if (second !== undefined) {
        const hint = 'Keep one, or make a listener for each.';
        const spot = { object: gateway, path: [...path, 'tls', 'certificateRefs', second.index] };
        findings.error('kubernetes-certificate', spot, 'A listener can have one certificate only', hint, {
          condition: ['ResolvedRefs', 'InvalidCertificateRef'],
        });
        continue;
      }
      const [name, namespace] = [
        textAt(first.item, 'name') ?? '',
        textAt(first.item, 'namespace') ?? gateway.namespace,
      ];
      if (!grants.allows(gateway, { group: '', kind: 'Secret', namespace, name })) {
        findings.error(
          'kubernetes-missing-grant',
          { object: gateway, path: [...at, 'namespace'] },
          `No ReferenceGrant in the namespace ${JSON.stringify(namespace)} lets ${shownObject(gateway)} use the Secret ${JSON.stringify(name)}`,
          'Add a ReferenceGrant there from Gateway to Secret.',
          { condition: ['ResolvedRefs', 'RefNotPermitted'] },
        );
        continue;
      }
      const secret = this.#secret(gateway, namespace, name, [...at, 'name']);
      if (secret === null) continue;
      const host = { name: hostname || '*', path: hostname ? [...path, 'hostname'] : path };
      this.#wishes.push({ secret, owner: gateway, path: [...at, 'name'], hosts: [host] });
    }
  }

  #secret(owner: KubeObject, namespace: string, name: string, path: JsonPath): KubeObject | null {
    const secret = this.#to.store.get('Secret', namespace, name);
    if (secret !== undefined) return secret;
    const message = `${shownObject(owner)} names the Secret ${JSON.stringify(`${namespace}/${name}`)}, which is not declared`;
    if (this.#to.settings.undeclaredCertificates === 'leave') {
      const hint =
        'Nothing has to be done where others give Kong the certificate, as kubernetes.undeclaredCertificates says.';
      this.#to.findings.info('kubernetes-missing-secret', { object: owner, path }, message, hint);
      return null;
    }
    this.#to.findings.error(
      'kubernetes-missing-secret',
      { object: owner, path },
      message,
      'Declare the Secret, correct its name, or set kubernetes.undeclaredCertificates to leave where others give Kong the certificate.',
      { condition: owner.kind === 'Gateway' ? ['ResolvedRefs', 'InvalidCertificateRef'] : ['Programmed', 'Invalid'] },
    );
    return null;
  }

  #make(): readonly RawEntity[] {
    const bySecret = new Map<KubeObject, Wish[]>();
    for (const wish of this.#wishes) bySecret.set(wish.secret, [...(bySecret.get(wish.secret) ?? []), wish]);
    const byContent = new Map<string, KubeObject[]>();
    for (const [secret, wishes] of bySecret) {
      const content = this.#contentOf(secret, wishes);
      if (content !== null) byContent.set(content, [...(byContent.get(content) ?? []), secret]);
    }
    const claimed = new Map<string, { readonly wish: Wish; readonly path: JsonPath; readonly content: string }>();
    const entities: RawEntity[] = [];
    for (const [content, secrets] of byContent) {
      const certificate = this.#certificate([...secrets].sort(byAgeAndId));
      for (const secret of secrets) this.#known.set(secret, certificate);
      entities.push(certificate);
      for (const wish of secrets.flatMap((secret) => bySecret.get(secret) ?? [])) {
        for (const { name, path } of wish.hosts) {
          const before = claimed.get(name);
          if (before === undefined) {
            claimed.set(name, { wish, path, content });
            entities.push(sni(name, wish, path, certificate));
          } else if (before.content !== content) this.#tellClash(name, before, { wish, path });
        }
      }
    }
    return entities;
  }

  /** What a Secret holds, as one text to compare by; null where it is no certificate with a key. */
  #contentOf(secret: KubeObject, wishes: readonly Wish[]): string | null {
    const data = this.#to.data.of(secret);
    const missing = ['tls.crt', 'tls.key'].filter((key) => (data.get(key)?.text ?? '') === '');
    if (missing.length === 0) return `${pem(data.get('tls.crt')?.text)}\n${pem(data.get('tls.key')?.text)}`;
    this.#to.findings.error(
      'kubernetes-certificate',
      { object: secret },
      `${shownObject(secret)} is used as a certificate and has no ${missing.join(' and no ')}`,
      'A Secret of the type kubernetes.io/tls has both.',
      { others: wishes.map(({ owner, path }) => ({ object: owner, path })) },
    );
    return null;
  }

  #certificate([first]: readonly KubeObject[]): RawEntity {
    if (first === undefined) throw new RangeError('a certificate needs a Secret');
    const data = this.#to.data.of(first);
    const place = (field: string, key: string) => ({
      field: [field],
      object: first,
      path: [data.get(key)?.field ?? 'data', key],
    });
    return rawEntity(
      'certificates',
      first,
      { cert: pem(data.get('tls.crt')?.text), key: pem(data.get('tls.key')?.text), tags: tagsOf(first) },
      { id: isUuid(first.uid) ? first.uid : null, places: [place('cert', 'tls.crt'), place('key', 'tls.key')] },
    );
  }

  #tellClash(
    name: string,
    first: { readonly wish: Wish; readonly path: JsonPath },
    second: { readonly wish: Wish; readonly path: JsonPath },
  ): void {
    this.#to.findings.error(
      'kubernetes-sni-conflict',
      { object: second.wish.owner, path: second.path },
      `The host ${JSON.stringify(name)} is to be served with two certificates: those of ${shownObject(first.wish.secret)} and ${shownObject(second.wish.secret)}`,
      'Name one Secret for the host everywhere.',
      {
        others: [
          { object: first.wish.owner, path: first.path },
          { object: first.wish.secret },
          { object: second.wish.secret },
        ],
      },
    );
  }
}

/** Of equal certificates that of the older Secret counts, then that with the smaller id (kic.md 4.5, 54). */
function byAgeAndId(a: KubeObject, b: KubeObject): number {
  return compare(a.created, b.created) || compare(a.uid, b.uid) || byAge(a, b);
}

function sni(name: string, { owner }: Wish, path: JsonPath, certificate: RawEntity): RawEntity {
  const places = [{ field: ['name'], object: owner, path }];
  return rawEntity('snis', owner, { name }, { places, references: [refersTo('certificate', certificate)] });
}

function pem(text: string | undefined): string {
  return (text ?? '').trim();
}
