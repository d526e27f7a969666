import type { Entity } from '../model/entity.ts';
import type { JsonObject } from '../model/json.ts';
import type { FieldChange } from './plan.ts';

/** What is to be done to one entity, before it has a place in the order. `live` and `target` are its two sides. */
export type Operation =
  | {
      readonly action: 'create';
      readonly entity: Entity;
      readonly target: Entity;
      readonly live: null;
      readonly normalTarget: JsonObject;
      readonly normalLive: null;
      readonly fields: readonly FieldChange[];
    }
  | {
      readonly action: 'update';
      readonly entity: Entity;
      readonly target: Entity;
      readonly live: Entity;
      readonly normalTarget: JsonObject;
      readonly normalLive: JsonObject;
      readonly fields: readonly FieldChange[];
    }
  | {
      readonly action: 'delete';
      readonly entity: Entity;
      readonly target: null;
      readonly live: Entity;
      readonly normalTarget: null;
      readonly normalLive: JsonObject;
      readonly fields: readonly FieldChange[];
    };
