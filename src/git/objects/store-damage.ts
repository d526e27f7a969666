/**
 * An object database that lacks an object or holds a broken one. For a store of ours a reason to fetch it anew, for
 * somebody else's repository a failure; never shown to people as it is.
 */
export class StoreDamage extends Error {
  override readonly name = 'StoreDamage';
  readonly kind: 'missing' | 'broken';

  constructor(kind: 'missing' | 'broken', message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
