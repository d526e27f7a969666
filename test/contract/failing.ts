import type { Contract } from './destination.ts';
export function failing(_: Contract): void {}
