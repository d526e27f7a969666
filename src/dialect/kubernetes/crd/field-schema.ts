import type { Json } from '../../../model/json.ts';

/** The part of OpenAPI's schema language that custom resources are described in. */
export interface FieldSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly properties?: { readonly [name: string]: FieldSchema };
  readonly additionalProperties?: FieldSchema | boolean;
  readonly items?: FieldSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly Json[];
  readonly pattern?: string;
  /** What to do where the pattern does not fit. */
  readonly patternHint?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: Json;
  readonly anyOf?: readonly FieldSchema[];
  readonly oneOf?: readonly FieldSchema[];
  readonly not?: FieldSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly string[];
}
