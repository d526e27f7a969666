/** A fault planted in the text of a shipped file. */
export interface Mutant {
  readonly name: string;
  /** Under `src/lane/`. */
  readonly file: string;
  /** The text that is replaced: it must be there exactly once, so that no fault is planted into nothing. */
  readonly find: string;
  readonly replace: string;
}

/** Every fault that the simulation has to find. */
export const mutants: readonly Mutant[] = [
  {
    name: 'one lock is shared by all lanes',
    file: 'lane.ts',
    find: 'const restMs = asked !== null ? this.#suspension.rests(asked) : await this.#pass(signal);',
    replace: `const turn = sharedLock;
      let release = () => {};
      sharedLock = new Promise<void>((resolve) => { release = resolve; });
      await turn;
      const restMs = asked !== null ? this.#suspension.rests(asked) : await this.#pass(signal);
      release();`,
  },
  {
    name: 'an older generation is taken',
    file: 'mailbox.ts',
    find: 'if (offer.generation <= this.#newest) return false;',
    replace: 'if (offer.generation === this.#newest) return false;',
  },
  {
    name: 'an older generation wins when it waits beside a newer one',
    file: 'mailbox.ts',
    find: 'this.#waiting = offer;',
    replace: 'this.#waiting ??= offer;',
  },
  {
    name: 'success is said before it is confirmed',
    file: 'pass.ts',
    find: "if (!confirmation.confirmed) return { end: 'unconfirmed', plan: remaining.plan, confirmation };",
    replace: '',
  },
  {
    name: 'success is said without reading back',
    file: 'pass.ts',
    find: 'const after = await world.destination.read(built.state, signal);',
    replace:
      "return { end: 'applied', confirmation: { confirmed: true, detail: '', incomplete: false, unread: [] }, delivered: plan, built, left: [], reported: [] };\n  const after = await world.destination.read(built.state, signal);",
  },
  {
    name: 'nothing is tried again after a failure',
    file: 'ending.ts',
    find: 'restMs: input.backoffMs(ended.failure),',
    replace: 'restMs: null,',
  },
  {
    name: 'a second delivery starts beside the first when a newer revision comes',
    file: 'lane.ts',
    find: 'this.#nudge.wake();\n    return true;',
    replace: 'this.#nudge.wake();\n    void this.#pass(new AbortController().signal);\n    return true;',
  },
  {
    name: 'a newer revision does not cut a wait short',
    file: 'lane.ts',
    find: 'this.#nudge.wake();\n    return true;',
    replace: 'return true;',
  },
  {
    name: 'a wait is cut short by what the failed try was about',
    file: 'lane.ts',
    find: 'this.#nudge.wake();\n    return true;',
    replace: 'this.#nudge.nudge();\n    return true;',
  },
  {
    name: 'no wait at all after a failure',
    file: 'ending.ts',
    find: 'restMs: input.backoffMs(ended.failure),',
    replace: 'restMs: 0,',
  },
  {
    name: 'the wait grows beyond its bound',
    file: 'backoff.ts',
    find: 'Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(input.failures - 1, 30))',
    replace: 'firstWaitMs * 40 ** Math.min(input.failures - 1, 30)',
  },
  {
    name: 'a restart writes what is in place already',
    file: 'pass.ts',
    find: 'if (before.confirmed && !before.incomplete && ',
    replace: 'if (before.confirmed && !before.incomplete && world.declared.size === 0 && ',
  },
  {
    name: 'a delivery starts without reading, from an empty state',
    file: 'survey.ts',
    find: 'const live = await destination.read(build()(null).state, signal);',
    replace:
      'const live = { state: { entities: new Map(), selectTags: [], byIdentity: () => undefined, byId: () => undefined }, notManaged: new Map(), nodes: [], readAt: 0 };',
  },
  {
    name: 'a failed read is taken for an empty destination',
    file: 'survey.ts',
    find: 'const live = await destination.read(build()(null).state, signal);',
    replace:
      "const live = await destination.read(build()(null).state, signal).catch((): Awaited<ReturnType<Destination['read']>> => ({ state: { entities: new Map(), selectTags: [], byIdentity: () => undefined, byId: () => undefined }, notManaged: new Map(), nodes: [], readAt: 0 }));",
  },
  {
    name: 'the stop does not end a rest',
    file: 'nudge.ts',
    find: "signal.addEventListener('abort', stop, { once: true });",
    replace: '',
  },
  {
    name: 'a rest leaves its listener behind',
    file: 'nudge.ts',
    find: "signal.removeEventListener('abort', stop);",
    replace: '',
  },
  {
    name: 'a rest leaves its timer behind',
    file: 'nudge.ts',
    find: 'this.#wake = null;\n      over.abort();',
    replace: 'this.#wake = null;',
  },
  {
    name: 'an approval lets later plans through too',
    file: 'approvals.ts',
    find: 'if (this.#given !== null) this.#take(null);',
    replace: '',
  },
  {
    name: 'an approval is for any plan',
    file: 'approvals.ts',
    find: 'return this.#given?.fingerprint === fingerprint;',
    replace: 'return this.#given !== null && fingerprint !== null;',
  },
  {
    name: 'a held plan goes out',
    file: 'pass.ts',
    find: 'delivery.plan.held !== null && !world.approved(offer, delivery.plan)',
    replace: 'delivery.plan.held !== null && world.approved(offer, delivery.plan)',
  },
  {
    name: 'what is lost of what is in force lets a plan through that would be held',
    file: 'shrunk.ts',
    find: 'if (inForce === null) return null;',
    replace: 'if (inForce !== undefined) return null;',
  },
  {
    name: 'drift from what is in force is left while a newer revision is held',
    file: 'lane.ts',
    find: "if (isKept) await this.#keeping.keep(first, 'held', signal);",
    replace: '',
  },
  {
    name: 'what was begun with an approval is undone while the rest of it is held',
    file: 'lane.ts',
    find: 'if (offer === this.#inForce.offer || offer === this.#begun) return false;',
    replace: 'if (offer !== this.#inForce.offer) return true;',
  },
  {
    name: 'drift from the last good revision is left while a newer one is refused',
    file: 'lane.ts',
    find: "if (ended.end === 'rejected' && ended.leaves === 'last-good') await this.#keeping.keep(offer, 'refused', signal);",
    replace: '',
  },
  {
    name: 'the last good revision undoes what was taken of a refused one',
    file: 'lane.ts',
    find: "if (ended.end === 'rejected' && ended.leaves === 'last-good') await",
    replace: "if (ended.end === 'rejected') await",
  },
  {
    name: 'the status is that of the last good revision while it is kept in force',
    file: 'lane.ts',
    find: 'begins: (kept, plan, why) => this.#countDelivery(kept, plan, why),',
    replace: "begins: (kept, plan, why) => this.#begins(kept, plan, why === 'nodes'),",
  },
  {
    name: 'drift is never looked for',
    file: 'lane.ts',
    find: "driftIntervalMs: policy.drift === 'ignore' ? null : policy.driftIntervalMs,",
    replace: 'driftIntervalMs: null,',
  },
  {
    name: 'drift is put right whatever the policy',
    file: 'another-writer.ts',
    find: "return corrects && !isFlapping ? 'deliver' : 'report';",
    replace: "return isFlapping ? 'report' : 'deliver';",
  },
  {
    name: 'a lost answer is taken for success',
    file: 'pass.ts',
    find: "if (outcome.failure.class !== 'rejected') return { end: 'failed', failure: outcome.failure, plan, open };",
    replace:
      "if (outcome.failure.class !== 'rejected') return { end: 'applied', confirmation: { confirmed: true, detail: '', incomplete: false, unread: [] }, delivered: plan, built, left: [], reported: [] };",
  },
  {
    name: 'a refusal is taken for a failure that passes',
    file: 'pass.ts',
    find: "if (outcome.failure.class !== 'rejected') return",
    replace: 'if (outcome.failure.class.length > 0) return',
  },
  {
    name: 'a delivery goes on when a newer revision is there',
    file: 'pass.ts',
    find: "if (world.superseded()) writing.stopped = 'superseded';\n    else if",
    replace: 'if',
  },
  {
    name: 'a delivery goes on without the lease',
    file: 'pass.ts',
    find: "else if (!world.mayWrite()) writing.stopped = 'not-ours';",
    replace: '',
  },
  {
    name: 'a suspended lane delivers',
    file: 'lane.ts',
    find: 'return this.#mailbox.full || this.isSuspended;',
    replace: 'return this.#mailbox.full;',
  },
  {
    name: 'resume wakes nothing',
    file: 'lane.ts',
    find: 'this.#board.show({ suspension: null });\n    this.#nudge.nudge();',
    replace: 'this.#board.show({ suspension: null });',
  },
  {
    name: 'what the destination objects to is written all the same',
    file: 'pass.ts',
    find: 'if (hasErrors(objections)) {',
    replace: 'if (hasErrors(objections) && objections.length > 99) {',
  },
  {
    name: 'an invalid revision is delivered',
    file: 'pass.ts',
    find: 'if (!isDeliverable(built)) {',
    replace: 'if (!isDeliverable(built) && built.diagnostics.length > 99) {',
  },
  {
    name: 'a delivery that was stopped is taken for one that failed',
    file: 'pass.ts',
    find: 'if (writing.stopped !== null) return { end: writing.stopped };',
    replace: '',
  },
  {
    name: 'a suspension is said for ever',
    file: 'lane.ts',
    find: '    this.#suspension.wakesUp(first !== null);\n',
    replace: '\n',
  },
  {
    name: 'a fault of ours ends the lane',
    file: 'attempts.ts',
    find: 'asFailure(thrown)?.facts ?? board.ownFault(thrown);',
    replace: 'asFailure(thrown)?.facts ?? raise(thrown);',
  },
  {
    name: 'what is in quarantine is delivered all the same',
    file: 'quarantining.ts',
    find: 'const made = quarantined(built, lastGood, this.#refusals, files ?? null);',
    replace: 'const made = { ...quarantined(built, lastGood, this.#refusals, files ?? null), state: built.state };',
  },
  {
    name: 'what is in quarantine is deleted though it was good before',
    file: 'quarantining.ts',
    find: 'const { state: lastGood = null, files } = this.#lastGood.get(offer) ?? {};',
    replace: 'const lastGood = null, files = null;',
  },
  {
    name: 'after a restart nothing is known to have been good',
    file: 'quarantining.ts',
    find: 'if (!this.#active || judged.quarantine === undefined || judged.valid) return false;',
    replace: 'if (judged !== undefined) return false;',
  },
  {
    name: 'a revision is called applied though parts of it are in quarantine',
    file: 'ending.ts',
    find: "state: degraded ? 'applied-degraded' : 'applied',",
    replace: "state: 'applied',",
  },
  {
    name: 'what a destination refuses is not put in quarantine',
    file: 'quarantining.ts',
    find: 'this.#refusals = [...this.#refusals, ...found];',
    replace: '',
  },
  {
    name: 'with reject the broken parts are left out all the same',
    file: 'quarantining.ts',
    find: "this.#active = onInvalid === 'quarantine';",
    replace: 'this.#active = true;',
  },
  {
    name: 'nothing is looked for to keep in force after a restart',
    file: 'last-good-search.ts',
    find: 'if (this.#passedOver.size >= triesLimit) return null;',
    replace: 'if (this.#passedOver.size < triesLimit) return null;',
  },
  {
    name: 'what was taken in part is undone for an older revision',
    file: 'keeping.ts',
    find: "if (ended.end !== 'rejected' || ended.leaves !== 'last-good' || inForce.offer !== null) return delivered;",
    replace: "if (ended.end !== 'rejected' || inForce.offer !== null) return delivered;",
  },
  {
    name: 'what was lost beside a held deletion waits for a person, too',
    file: 'pass.ts',
    find: 'const hasMore = deletes.length > 0 && deletes.length < delivery.plan.changes.length;',
    replace: 'const hasMore = false;',
  },
  {
    name: 'what a gate holds back goes out',
    file: 'lane.ts',
    find: 'closed: (candidate, plan) => (this.#isDrift(candidate, plan) ? null : this.#closed(candidate)),',
    replace: 'closed: () => null,',
  },
  {
    name: 'a gate that closes before the first write holds nothing back',
    file: 'pass.ts',
    find: "if (closed !== null) return { end: 'waiting', plan, closed };",
    replace: 'if (closed !== null) void 0;',
  },
  {
    name: 'what was found in the past goes round the gate',
    file: 'keeping.ts',
    find: 'return found === null || closed(found) !== null ? null : found;',
    replace: 'return found;',
  },
  {
    name: 'the probes are not asked',
    file: 'attempts.ts',
    find: "return ended.end === 'applied' && aim.proves !== undefined ? await aim.proves(ended) : ended;",
    replace: 'return ended;',
  },
  {
    name: 'what the probes say changes nothing',
    file: 'proving.ts',
    find: 'if (verdict.wrong.length > 0) {',
    replace: 'if (verdict.wrong.length > 99) {',
  },
  {
    name: 'a delivery that is confirmed later is not probed',
    file: 'proving.ts',
    find: 'this.#proven = null;\n    this.#unproven = { offer, plan, delivered: plan, isWrong: false };',
    replace: 'this.#proven = { offer, digest: plan.digest, byProbes: true };',
  },
  {
    name: 'what is found in place is not probed',
    file: 'proving.ts',
    find: 'if (proven === null || proven.digest !== plan.digest) return false;',
    replace: 'if (proven === null) return true;',
  },
  {
    name: 'a revision that was taken back is delivered again',
    file: 'lane.ts',
    find: 'if (this.#takenBack !== null) return this.#takeBack(this.#takenBack, signal);',
    replace: '',
  },
  {
    name: 'nothing is taken back',
    file: 'lane.ts',
    find: "if (ended.end === 'unhealthy' && this.#world.health?.onUnhealthy === 'rollback') {",
    replace: "if (ended.end === 'unhealthy' && this.#suspension.asked) {",
  },
  {
    name: 'a revision goes out here before it is confirmed there',
    file: 'gates.ts',
    find: "if (status.state !== 'applied' || status.applied !== revision) {",
    replace: "if (status.state === 'held') {",
  },
  {
    name: 'a soak is not waited for',
    file: 'gates.ts',
    find: 'if (now >= until) {',
    replace: 'if (until > 0) return null;\n  if (now >= until) {',
  },
  {
    name: 'a destination that was taken back lets the rest go on',
    file: 'gates.ts',
    find: "if (status.state !== 'applied' || status.applied !== revision) {",
    replace: "if (status.state !== 'applied' && status.state !== 'rolled-back') {",
  },
  {
    name: 'who waits for another does not notice that it is done',
    file: 'lane.ts',
    find: 'if (closed !== null) {\n      if (this.#board.waitsOn(closed)) this.#nudge.nudge();',
    replace: 'if (closed !== null || waits !== null) {',
  },
];

/** What the replacements need beside the text that they replace, by file. */
export const additions: { readonly [file: string]: string } = {
  'lane.ts': `
let sharedLock: Promise<void> = Promise.resolve();
`,
  'attempts.ts': `
function raise(thrown: unknown): never { throw thrown; }
`,
};
