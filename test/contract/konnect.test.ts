import { destinationContract } from './destination.ts';

destinationContract({ name: 'a Konnect control plane', make: { name: 'konnect', flavour: 'konnect' }, skip: [] });
