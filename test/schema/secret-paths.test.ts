import { describe, expect, it } from 'vitest';
import { pluginSchema } from '../../src/schema/entity-schema.ts';
import { secretPaths } from '../../src/schema/secret-paths.ts';
import { oss, recordOf } from './schemas.ts';

function ofPlugin(name: string): readonly string[] {
  const schema = pluginSchema(oss, name);
  return schema === undefined ? [] : secretPaths(schema);
}

describe('secret fields', () => {
  it('are those that a schema marks, at any depth, under old names too', () => {
    expect(ofPlugin('rate-limiting')).toEqual(
      expect.arrayContaining(['/config/redis/password', '/config/redis_password']),
    );
    expect(ofPlugin('aws-lambda')).toEqual(expect.arrayContaining(['/config/aws_key', '/config/aws_secret']));
    expect(ofPlugin('opentelemetry')).toContain('/config/headers/*');
    expect(ofPlugin('session')).toContain('/config/secret');
    expect(ofPlugin('cors')).toEqual([]);
  });

  it('are those whose name says so', () => {
    const schema = recordOf([
      { client_secret: { type: 'string' } },
      { list: { type: 'array', elements: { type: 'record', fields: [{ token: { type: 'string' } }] } } },
      { token_count: { type: 'integer' } },
      { cert: { type: 'string', referenceable: true } },
      { key: { type: 'string', encrypted: true } },
    ]);
    expect(secretPaths(schema)).toEqual(['/client_secret', '/list/*/token', '/key']);
  });
});
