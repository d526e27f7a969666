import { destinationContract } from './destination.ts';

destinationContract({ name: 'a Kong with a database', make: { name: 'kong', flavour: 'kong' }, skip: [] });
