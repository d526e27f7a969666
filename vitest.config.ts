import { defineConfig } from 'vitest/config';

/** In CI the counts are also written to a file, from which the gate prints its closing line. */
const reporters = process.env['CI'] ? ['default', ['json', { outputFile: 'test-results.json' }] as const] : ['default'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    reporters: [...reporters] as never,
  },
});
