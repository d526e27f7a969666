import { destinationContract } from './destination.ts';

destinationContract({ name: 'one DB-less node', make: { name: 'edge', flavour: 'dbless' }, skip: [] });
