import { describe, expect, it } from 'vitest';
import { didYouMean, editDistance, nearestWord } from '../../src/model/suggest.ts';

describe('suggestions', () => {
  it.each([
    ['hots', 'host', 1],
    ['strip_paths', 'strip_path', 1],
    ['', 'abc', 3],
    ['same', 'same', 0],
    ['ca', 'abc', 3],
  ])('%s is as far from %s as %d', (a, b, expected) => {
    expect(editDistance(a, b)).toBe(expected);
    expect(editDistance(b, a)).toBe(expected);
  });

  it('names the nearest, and nothing where nothing is near', () => {
    expect(nearestWord('hots', ['port', 'host', 'path'])).toBe('host');
    expect(nearestWord('Config', ['config'])).toBe('config');
    expect(nearestWord('zzzzzz', ['host', 'port'])).toBeUndefined();
    expect(didYouMean('minut', ['minute', 'hour'])).toBe('Did you mean "minute"?');
    expect(didYouMean('x', [])).toBe('');
  });
});
