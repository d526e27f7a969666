import { destinationContract } from './destination.ts';

destinationContract({
  name: 'a workspace of Kong Enterprise',
  make: { name: 'kong-ee', flavour: 'kong', edition: 'enterprise', version: '3.10', workspace: 'team' },
  skip: [],
});
