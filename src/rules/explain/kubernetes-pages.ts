import type { Pages } from '../../model/page.ts';

const whole = 'The object would be served in part, and the part that is missing may be its lock: so none of it is.';
const silent =
  'A controller in a cluster leaves such a thing out and goes on; here it is said before anything is delivered.';
const gone = 'What it names was renamed or deleted, or stands in a file that is not read.';

/** What reading Kubernetes manifests may find. */
export const kubernetesPages: Pages = {
  'kubernetes-kind-ignored': {
    what: 'The manifest is of a kind that says nothing to Kong.',
    why: 'Nothing is made of it. That is right for Deployments and the like.',
    fix: 'Nothing need be done; an `ignore` pattern silences it.',
  },
  'kubernetes-object-ignored': {
    what: 'The object is of another ingress class, or switched off, so that it is left out.',
    why: 'If it is meant for Kong, its routes will not be there.',
    fix: 'Set `ingressClassName` (or the annotation), or `kubernetes.ingressClass` in the configuration.',
  },
  'kubernetes-object': {
    what: 'The manifest is no whole object: it lacks `metadata.name`, say, or has fields of the wrong shape.',
    why: whole,
    fix: 'Correct it at the place shown.',
  },
  'kubernetes-duplicate-object': {
    what: 'One object (kind, namespace and name) is written twice.',
    why: 'In a cluster the one applied last would win; here neither is guessed at.',
    fix: 'Keep one of them, or rename one.',
  },
  'kubernetes-field': {
    what: 'A field has a value that the kind does not take.',
    why: 'An API server refuses such an object.',
    fix: 'Correct the value.',
  },
  'kubernetes-unknown-field': {
    what: 'A field is none of the kind.',
    why: 'An API server drops it without a word, and what it was to do is not done.',
    fix: 'Correct the name or the indentation, or delete it.',
  },
  'kubernetes-field-rule': {
    what: 'Fields contradict each other by a rule that the kind has.',
    why: 'An API server refuses such an object.',
    fix: 'Do what the message says.',
  },
  'kubernetes-annotation': {
    what: 'An annotation of Kong is unknown, has another prefix, stands under the labels, or has a value that it does not take.',
    why: silent,
    fix: 'Correct the annotation, whose prefix is konghq.com/ under `metadata.annotations`; its values are texts, even numbers and true.',
  },
  'kubernetes-missing-service': {
    what: 'A route leads to a Service that no manifest declares.',
    why: `${gone} Requests would be answered with an error.`,
    fix: 'Correct the name and the namespace, or add the manifest.',
  },
  'kubernetes-missing-port': {
    what: 'A route leads to a port that its Service does not have.',
    why: 'Kong would not know where to send requests.',
    fix: 'Correct the port, by number or name, here or in the Service.',
  },
  'kubernetes-missing-secret': {
    what: 'A Secret is named that no manifest declares, or that lacks a key.',
    why: `${gone} ${whole}`,
    fix: 'Correct the name, or add the Secret (its values can come from the environment).',
  },
  'kubernetes-missing-plugin': {
    what: 'An annotation names a KongPlugin or KongClusterPlugin that no manifest declares.',
    why: 'Where the plugin is the lock of a route, the route would stand open: so it is not delivered at all.',
    fix: 'Correct the name, or add the plugin in the same namespace.',
  },
  'kubernetes-missing-policy': {
    what: 'A KongUpstreamPolicy is named that no manifest declares.',
    why: gone,
    fix: 'Correct the name, or add the policy in the namespace of the Service.',
  },
  'kubernetes-missing-group': {
    what: 'A consumer is to be in a KongConsumerGroup that no manifest declares.',
    why: gone,
    fix: 'Correct the name, or add the group.',
  },
  'kubernetes-missing-grant': {
    what: 'Something of another namespace is named that no ReferenceGrant allows to name.',
    why: 'Namespaces are borders: what is in one is not used by another without being allowed.',
    fix: 'Add a ReferenceGrant in the namespace of what is named.',
  },
  'kubernetes-missing-gateway': {
    what: 'A route is to be attached to a Gateway that no manifest declares.',
    why: 'The route is taken as it stands, so that nothing its listeners say narrows it. Where a Gateway of nearly the same name is declared, that is most likely a slip.',
    fix: 'Correct `parentRefs`, or add the Gateway.',
  },
  'kubernetes-missing-object': {
    what: 'An object is named that no manifest declares.',
    why: gone,
    fix: 'Correct the name, or add the manifest.',
  },
  'kubernetes-no-targets': {
    what: 'An upstream has nowhere to send requests to.',
    why: 'Kong would answer every request with 503.',
    fix: 'Name a Service under `backendRefs`; give it endpoints, or set `kubernetes.targets: dns`.',
  },
  'kubernetes-listener-conflict': {
    what: 'Two listeners of a Gateway want the same port for different protocols.',
    why: 'In a cluster neither would be served. Kong itself listens where it is told to, so what is attached to them goes out all the same.',
    fix: 'Give each protocol a port of its own.',
  },
  'kubernetes-not-attached': {
    what: 'A route fits no listener of its Gateway: by hostname, protocol, section or namespace.',
    why: 'It would not be served.',
    fix: 'Correct the route’s `parentRefs` and hostnames, or what the listener allows.',
  },
  'kubernetes-switched-off': {
    what: 'The object needs a feature that the configuration does not switch on.',
    why: 'Nothing is made of it.',
    fix: 'Switch it on under `kubernetes` in the configuration, or leave the object out.',
  },
  'kubernetes-route': {
    what: 'A rule of a route asks for something that Kong cannot do.',
    why: whole,
    fix: 'Do what the message says; some need `kubernetes.expressionRoutes: true`.',
  },
  'kubernetes-backend': {
    what: 'A backend of a route is of a kind, or has settings, that cannot be used.',
    why: whole,
    fix: 'Use a Service (or a KongServiceFacade where that is switched on).',
  },
  'kubernetes-backends-disagree': {
    what: 'Services behind one route have different Kong annotations or policies.',
    why: 'They become one service in Kong, which can have one setting only.',
    fix: 'Annotate all of them alike.',
  },
  'kubernetes-default-backend': {
    what: 'More than one Ingress has a default backend.',
    why: 'There can be one: requests that nothing else matches go to it.',
    fix: 'Keep one of them.',
  },
  'kubernetes-name-clash': {
    what: 'Two objects become one entity in Kong, by name.',
    why: 'One would overwrite the other.',
    fix: 'Rename one of them.',
  },
  'kubernetes-plugin': {
    what: 'A plugin’s configuration cannot be put together: both `config` and `configFrom`, a Secret that is no YAML, a patch that does not fit.',
    why: whole,
    fix: 'Do what the message says.',
  },
  'kubernetes-global-plugin': {
    what: 'Two KongClusterPlugins of one plugin are global.',
    why: 'Kong runs a plugin once globally.',
    fix: 'Take the label `global: "true"` off one of them, or merge them.',
  },
  'kubernetes-consumer': {
    what: 'A KongConsumer has neither `username` nor `custom_id`, or what it names cannot be used.',
    why: 'Kong refuses a consumer that nothing tells from another.',
    fix: 'Give it a username, and do what the message says.',
  },
  'kubernetes-credential': {
    what: 'A credential’s Secret lacks its label or a field, or its label names no kind of credential.',
    why: whole,
    fix: 'Label it `konghq.com/credential: key-auth` (or another kind), and give it the fields of that kind.',
  },
  'kubernetes-certificate': {
    what: 'A TLS Secret holds no certificate and key that fit.',
    why: 'No TLS connection could be made.',
    fix: 'Give it `tls.crt` and `tls.key` of one pair.',
  },
  'kubernetes-sni-conflict': {
    what: 'Two certificates are given for one host.',
    why: 'A client that asks for the host gets one of them.',
    fix: 'Use one Secret for the host everywhere.',
  },
  'kubernetes-vault': {
    what: 'A KongVault has a prefix that another one has, or a configuration that cannot be read.',
    why: 'References to it would lead nowhere, or to the other one.',
    fix: 'Give it a prefix of its own.',
  },
  'kubernetes-custom-entity': {
    what: 'A KongCustomEntity is of a type that is not known, or lacks what it belongs to.',
    why: 'Without its parent it would hold for everything.',
    fix: 'Correct `type`, `fields` and `parentRef`.',
  },
  'kubernetes-license': {
    what: 'There is more than one KongLicense that is enabled, or one that cannot be read.',
    why: 'Kong has one license.',
    fix: 'Enable one of them.',
  },
  'kubernetes-tls': {
    what: 'TLS towards a service cannot be set up as the objects ask.',
    why: 'Traffic would go on unchecked, or not at all.',
    fix: 'Do what the message says.',
  },
  'helm-chart': {
    what: 'A folder holds a Helm chart (`Chart.yaml`), whose templates Konverge does not carry out.',
    why: 'Its files are no manifests before that, so nothing of the folder is read.',
    fix: 'Commit what `helm template` prints, and leave the chart out with an `ignore` pattern.',
  },
  kustomize: {
    what: 'A folder cannot be built as its kustomization says: it uses what is not carried out (charts, plugins, transformers, replacements, files from the network), or refers to what is not there.',
    why: 'What stands in its files is not what is meant to be delivered, and a part of it would be worse than nothing.',
    fix: 'Do what the message says, or commit what `kustomize build` prints and leave the sources out with an `ignore` pattern.',
  },
  'kustomize-patch': {
    what: 'The target of a patch fits no object of what is built.',
    why: 'Kustomize takes no notice, and what the patch was to bring, a plugin that protects perhaps, is not there.',
    fix: 'Correct the target, or remove the patch.',
  },
  'kustomize-reference': {
    what: 'An object got another name when its folder was built, by a prefix, a suffix or a hash, and a reference of a kind that Kustomize does not know follows it.',
    why: 'Kustomize itself leaves such a reference as it is, so that it leads nowhere in a cluster.',
    fix: 'Nothing, or add a `nameReference` under `configurations` so that both do the same.',
  },
  'kustomize-overlays': {
    what: 'Two folders that are built have a folder in common, as the overlays of a base have.',
    why: 'Each overlay is meant for one gateway, as a rule, and now all that is built goes to the same ones.',
    fix: 'Name the one that is meant in `kubernetes.kustomize`, or by `include` of each destination; or turn the warning off.',
  },
  'kustomize-unlisted': {
    what: 'A manifest stands in a folder with a kustomization that does not list it.',
    why: 'Kustomize leaves such a file out, so nothing of it is delivered, which may not be what was meant.',
    fix: 'Name it under `resources`, or leave it out with an `ignore` pattern.',
  },
  'quarantine-unknown': {
    what: 'The object that is to be taken for broken is not in the files.',
    why: 'Nothing would be left out.',
    fix: 'Write it as KIND/[NAMESPACE/]NAME, as it stands in its manifest.',
  },
};
