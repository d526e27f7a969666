export { environmentMask, textMask } from '../model/mask.ts';
