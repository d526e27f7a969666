import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    // In CI the counts are also written to a file, from which the gate prints its closing line.
    reporters: process.env['CI'] ? ['default', ['json', { outputFile: 'test-results.json' }]] : ['default'],
  },
});
