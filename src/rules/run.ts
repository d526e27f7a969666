import { type Diagnostic, type Severity, sortDiagnostics } from '../model/diagnostic.ts';
import type { KindName } from '../model/kind.ts';
import { allEntities, type State } from '../model/state.ts';
import type { Schemas } from '../schema/schema.ts';
import type { Allowance } from './comments/allowance.ts';
import { AllowanceIndex } from './comments/allowance-index.ts';
import { easedForEnterprise } from './eased.ts';
import { environmentMask } from './mask.ts';
import { rules } from './registry.ts';
import type { DestinationMode, LeftOutHere, Rule, RuleContext } from './rule.ts';

/** What a run of the rules needs to know. */
export interface RulesInput {
  readonly state: State;
  /** What the Kong in question takes. */
  readonly schemas: Schemas;
  /** Whether everything at the destination is ours, so that a reference by id has to name something of the state. */
  readonly ownsAll: boolean;
  /** Whether the files are judged for no destination and no Kong in particular; false where it is left out. */
  readonly standsAlone?: boolean;
  /** Whether other values may stand for those of the environment; false where it is left out. */
  readonly valuesStandIn?: boolean;
  /** Kinds of which others own entities that the files may name; none where it is left out. */
  readonly external?: ReadonlySet<KindName>;
  /** What the destination is not given; nothing where it is left out. */
  readonly leftOut?: LeftOutHere;
  /** How the destination keeps its configuration; not known where it is left out. */
  readonly mode?: DestinationMode | null;
  /** The instant at which certificates are judged, in milliseconds since 1970. */
  readonly instant: number;
  /** What comments in the files allow; nothing where it is left out. */
  readonly allowances?: readonly Allowance[];
  /** Severities by the name of a rule, or of its group; each holds for all that the rule finds. */
  readonly overrides: { readonly [rule: string]: Severity | 'off' };
}

/** Everything that the rules find in a complete state, in the stable order of diagnostics, repeats dropped. */
export function runRules(input: RulesInput): readonly Diagnostic[] {
  const found = runWith(input);
  const { orEnterprise } = input.schemas;
  if (orEnterprise === undefined) return found;
  return sortDiagnostics(easedForEnterprise(found, () => runWith({ ...input, schemas: orEnterprise })));
}

function runWith(input: RulesInput): readonly Diagnostic[] {
  const context = contextOf(input);
  const active = rules.filter((rule) => isActive(rule, input));
  const allowances = new AllowanceIndex(input.allowances ?? []);
  const byKind = new Map<KindName, readonly Rule[]>();
  for (const kind of input.state.entities.keys()) {
    byKind.set(
      kind,
      active.filter((rule) => rule.kinds === 'all' || rule.kinds.includes(kind)),
    );
  }
  const found: Diagnostic[] = [];
  for (const entity of allEntities(input.state)) {
    for (const rule of byKind.get(entity.kind) ?? []) {
      for (const { severity, ...finding } of rule.check(entity, context)) {
        if (allowances.takes(entity, rule.name, finding)) continue;
        const own = severity ?? rule.severity;
        const override = overrideOf(input, rule);
        found.push({
          ...finding,
          rule: rule.name,
          severity: override === undefined || override === 'off' ? own : override,
        });
      }
    }
  }
  const names = new Set(active.map((rule) => rule.name));
  // Where entities were left out, what allows something of them has its reason in another build.
  const unused = context.external.size === 0 ? overridden(allowances.unused(names), input) : [];
  const shown = found.length === 0 ? found : maskAll(found, environmentMask(input.state));
  return sortDiagnostics([...shown, ...unused]);
}

/** Findings about the comments themselves, with the severities that the configuration gives. */
function overridden(found: readonly Diagnostic[], { overrides }: RulesInput): readonly Diagnostic[] {
  return found.flatMap((diagnostic) => {
    const severity = Object.hasOwn(overrides, diagnostic.rule) ? overrides[diagnostic.rule] : undefined;
    return severity === 'off' ? [] : [severity === undefined ? diagnostic : { ...diagnostic, severity }];
  });
}

function isActive(rule: Rule, input: RulesInput): boolean {
  if (rule.onRequest === true && !Object.hasOwn(input.overrides, rule.name)) return false;
  return overrideOf(input, rule) !== 'off';
}

function maskAll(found: readonly Diagnostic[], mask: (text: string) => string): readonly Diagnostic[] {
  return found.map((diagnostic) => ({
    ...diagnostic,
    message: mask(diagnostic.message),
    hint: mask(diagnostic.hint),
    entities: diagnostic.entities.map(({ kind, name }) => ({ kind, name: mask(name) })),
  }));
}

function overrideOf(input: RulesInput, rule: Rule): Severity | 'off' | undefined {
  const { overrides } = input;
  if (Object.hasOwn(overrides, rule.name)) return overrides[rule.name];
  // A group says how grave its rules are, not that one which is asked for by its name runs.
  if (rule.group === undefined || !Object.hasOwn(overrides, rule.group)) return undefined;
  return overrides[rule.group];
}

function contextOf(input: RulesInput): RuleContext {
  const { state, schemas, ownsAll, external = new Set(), instant } = input;
  const values = new Map<string, unknown>();
  return {
    state,
    schemas,
    ownsAll,
    standsAlone: input.standsAlone ?? false,
    valuesStandIn: input.valuesStandIn ?? false,
    external,
    leftOut: input.leftOut ?? { kinds: new Set(), entities: [] },
    mode: input.mode ?? null,
    instant,
    memo: <T>(key: string, make: () => T): T => {
      if (!values.has(key)) values.set(key, make());
      // A key belongs to one module, which always asks for the same type.
      return values.get(key) as T;
    },
  };
}
