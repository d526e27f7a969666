import type { RawEntity } from '../../../model/assemble.ts';
import { compare, shownObject } from '../objects/kube-object.ts';
import { tagsOf } from '../objects/tags.ts';
import { objectAt, textAt, withoutUndefined } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import { rawEntity, tagsPlace } from './raw.ts';

/** The vaults of the class (kic.md 6.10). Two with one prefix are found by the rules, as in every dialect. */
export function vaults(to: Translation): readonly RawEntity[] {
  return to.classes.annotated('KongVault').map((object) => {
    const spec = objectAt(object.value, 'spec') ?? {};
    const fields = withoutUndefined({
      name: textAt(spec, 'backend') ?? '',
      prefix: textAt(spec, 'prefix') ?? '',
      description: textAt(spec, 'description') ?? undefined,
      config: spec['config'],
      tags: tagsOf(object),
    });
    const places = [
      { field: ['name'], object, path: ['spec', 'backend'] },
      ...['prefix', 'description', 'config'].map((field) => ({ field: [field], object, path: ['spec', field] })),
      tagsPlace(object),
    ];
    return rawEntity('vaults', object, fields, { places });
  });
}

/** The licence: the newest of those that are switched on, for Kong Enterprise only. */
export function licenses(to: Translation): readonly RawEntity[] {
  if (!to.kong.enterprise) return [];
  const [chosen, ...others] = to.store
    .list('KongLicense')
    .filter(({ value }) => value['enabled'] !== false)
    .sort((a, b) => compare(b.created, a.created) || compare(a.name, b.name));
  if (chosen === undefined) return [];
  for (const object of others) {
    const message = `${shownObject(object)} is not used, for ${shownObject(chosen)} comes before it`;
    to.findings.warning('kubernetes-license', { object }, message, 'Set `enabled` to false on all but one.', {
      others: [{ object: chosen }],
    });
  }
  const payload = textAt(chosen.value, 'rawLicenseString') ?? '';
  const places = [{ field: ['payload'], object: chosen, path: ['rawLicenseString'] }];
  return [rawEntity('licenses', chosen, { payload }, { places })];
}
