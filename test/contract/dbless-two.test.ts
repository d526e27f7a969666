import { destinationContract } from './destination.ts';

destinationContract({ name: 'two DB-less nodes', make: { name: 'edges', flavour: 'dbless', nodes: 2 }, skip: [] });
