import { protecting } from './protecting.ts';

protecting({ name: 'a Kong with a database', flavour: 'kong', edition: 'enterprise' });
protecting({ name: 'a Konnect control plane', flavour: 'konnect' });
