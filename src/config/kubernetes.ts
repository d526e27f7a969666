import { z } from 'zod';
import { flag, textOf } from './fields.ts';

const className = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** `kubernetes`. */
export const kubernetesSection = z
  .strictObject({
    ingressClass: textOf(
      className,
      'the name of a class',
      'The class whose Ingresses, consumers and so on are read.',
    ).default('kong'),
    gatewayController: textOf(
      /^[a-z0-9.-]+\/[A-Za-z0-9/._~%!$&'()*+,;=:-]+$/,
      'DOMAIN/PATH',
      'The controller name of the GatewayClasses that are meant.',
    ).default('konghq.com/kic-gateway-controller'),
    namespace: textOf(className, 'the name of a namespace', 'The namespace of objects that name none.').default(
      'default',
    ),
    apiDefaults: flag(
      'Whether objects are taken as a Kubernetes API server would keep them: with its defaults, and refused where it refuses them.',
    ).default(true),
    targets: z.enum(['dns', 'endpoints']).default('dns').meta({
      description: 'Where upstreams get their targets: DNS names of Services, or endpoints in the manifests.',
    }),
    undeclaredServices: z.enum(['refuse', 'assume']).default('refuse').meta({
      description:
        'What becomes of a backend whose Service no manifest declares: an error, or a target by its DNS name.',
    }),
    undeclaredCertificates: z.enum(['refuse', 'leave']).default('refuse').meta({
      description:
        'What becomes of a TLS Secret that no manifest declares: an error, or no certificate from here, where others give Kong one.',
    }),
    clusterDomain: z
      .string()
      .regex(/^$|^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be a domain such as cluster.local')
      .default('')
      .meta({ description: 'The domain that is appended to DNS names of Services; none where it is empty.' }),
    expressionRoutes: flag('Routes for Kong’s expressions router, which is then assumed as `kong.router` too.').default(
      false,
    ),
    serviceFacade: flag('Whether KongServiceFacade is taken as a backend.').default(false),
    rewriteUris: flag('Whether the annotation konghq.com/rewrite is carried out.').default(false),
    customEntities: flag('Whether KongCustomEntity is read.').default(true),
    combinedServices: flag('One Kong service for equal backends of all HTTPRoutes of a namespace.').default(false),
    drain: flag('Whether endpoints that are terminating are kept, with weight 0.').default(false),
    kustomize: z.array(z.string().min(1, 'must not be empty')).default([]).meta({
      description:
        'The folders to build with their kustomization; where it is empty, those that no other kustomization refers to.',
    }),
  })
  .meta({ description: 'How Kubernetes manifests are read: what the flags of a controller would be.' });

/** How manifests are read, as configured. */
export type KubernetesConfiguration = z.output<typeof kubernetesSection>;
