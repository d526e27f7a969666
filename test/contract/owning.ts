import type { Contract } from './destination.ts';
export function owning(_: Contract): void {}
