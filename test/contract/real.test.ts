import { test } from 'vitest';
import { destinationContract } from './destination.ts';

// Real servers are asked where these variables name them. THEY ARE EMPTIED.
const database = process.env['KONVERGE_TEST_KONG_URL'];
const dbless = process.env['KONVERGE_TEST_DBLESS_URL'];

if (database !== undefined) {
  destinationContract({
    name: 'a real Kong with a database',
    make: { name: 'kong', flavour: 'kong', url: database },
    skip: [],
  });
}
if (dbless !== undefined) {
  destinationContract({
    name: 'a real Kong without a database',
    make: { name: 'edge', flavour: 'dbless', url: dbless },
    skip: [],
  });
}
if (database === undefined && dbless === undefined) {
  test.skip('a real Kong (KONVERGE_TEST_KONG_URL, KONVERGE_TEST_DBLESS_URL)', () => undefined);
}
