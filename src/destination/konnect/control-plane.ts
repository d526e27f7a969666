import { z } from 'zod';
import { isUuid } from '../../model/derived-id.ts';
import { Failure } from '../../platform/failure.ts';
import { type RequestWorld, send } from '../requests.ts';

/** A control plane of Konnect that can hold entities of its own. */
export interface ControlPlane {
  readonly id: string;
  readonly name: string;
}

const item = z.object({
  id: z.string(),
  name: z.string(),
  config: z.object({ cluster_type: z.string().optional() }).optional(),
});

const list = z.object({ data: z.array(item) });

/** Looks a control plane up by its name or id. Throws Failure where there is none, or none that takes entities. */
export async function findControlPlane(
  world: RequestWorld,
  nameOrId: string,
  signal: AbortSignal,
): Promise<ControlPlane> {
  const field = isUuid(nameOrId) ? 'id' : 'name';
  const wanted = field === 'id' ? nameOrId.toLowerCase() : nameOrId;
  const path = `/v2/control-planes?page[size]=100&filter[${field}][eq]=${encodeURIComponent(wanted)}`;
  const answer = await send(world, { method: 'GET', path: path.replaceAll('[', '%5B').replaceAll(']', '%5D') }, signal);
  const parsed = list.safeParse(answer.json);
  if (!parsed.success) {
    throw refusal(
      'not-konnect',
      'what answers at this address is not Konnect',
      'Check `konnect.region` or `konnect.url`.',
    );
  }
  const found = parsed.data.data.find((candidate) => candidate[field] === wanted);
  if (found === undefined) {
    throw refusal(
      'no-control-plane',
      `there is no control plane "${nameOrId}", or this token may not see it`,
      'Check `konnect.controlPlane` and `konnect.region`; Konverge never creates a control plane.',
    );
  }
  if (found.config?.cluster_type === 'CLUSTER_TYPE_CONTROL_PLANE_GROUP') {
    throw refusal(
      'control-plane-group',
      `"${found.name}" is a control plane group, which holds no entities of its own`,
      'Name one of its member control planes.',
    );
  }
  if (found.config?.cluster_type === 'CLUSTER_TYPE_K8S_INGRESS_CONTROLLER') {
    throw refusal(
      'control-plane-read-only',
      `"${found.name}" is written by a Kubernetes ingress controller and takes nothing from others`,
      'Name another control plane.',
    );
  }
  return { id: found.id, name: found.name };
}

function refusal(code: string, message: string, hint: string): Failure {
  return new Failure({
    class: 'rejected',
    code,
    message,
    hint,
    method: 'GET',
    url: '/v2/control-planes',
    status: null,
    retryAfterMs: null,
    body: null,
  });
}
