import { randomWalk } from './random-walk.ts';

randomWalk({ name: 'a Kong with a database', flavour: 'kong' });
randomWalk({ name: 'a Konnect control plane', flavour: 'konnect' });
randomWalk({ name: 'two DB-less nodes', flavour: 'dbless', nodes: 2 });
