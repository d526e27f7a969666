import { kinds } from './kinds.ts';
import { pullRequestContract } from './pull-request-contract.ts';

for (const [name, under] of Object.entries(kinds)) pullRequestContract(name, under);
