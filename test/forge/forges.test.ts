import { forgeContract } from './contract.ts';
import { kinds } from './kinds.ts';

for (const [name, under] of Object.entries(kinds)) forgeContract(name, under);
