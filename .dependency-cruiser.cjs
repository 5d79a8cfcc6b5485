// Which folder may import which. Imports point to the domain. Only the outermost folders have effects, and only
// composition roots choose implementations (ARCHITECTURE.md).
const roots = '^src/[^/]+\\.ts$';
const context = '^src/context\\.ts$';
const activities = '/activities[^/]*\\.ts$';

// The layers of the queue, from the bottom. A file imports its own layer and the layers before it in this list.
const layers = [
  'store',
  'facts',
  'admission',
  'host-sync',
  'planning',
  'builds',
  'landing',
  'effects',
  'requests',
  'api',
];
const queue = '^src/modules/queue/';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Imports of types count: files that point at each other by types are read together all the same.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...layers.map((layer, index) => ({
      name: `queue-${layer}-imports-lower-layers`,
      comment: 'No layer imports index.ts, which is for other modules.',
      severity: 'error',
      from: { path: `${queue}${layer}/` },
      to: { path: queue, pathNot: layers.slice(0, index + 1).map((lower) => `${queue}${lower}/`) },
    })),
    {
      name: 'queue-has-layers-only',
      comment: 'Every file of the queue is in a layer, except its index.ts.',
      severity: 'error',
      from: { path: queue, pathNot: [`${queue}(${layers.join('|')})/`, `${queue}index\\.ts$`] },
      to: {},
    },
    {
      name: 'octokit-in-one-place',
      comment: 'src/hosts/github/octokit.ts makes every client of GitHub, so that each call has a time limit.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/hosts/github/octokit\\.ts$', '^src/demo/'] },
      to: { path: 'node_modules/@octokit/(core|rest)/' },
    },
    {
      name: 'resolvable',
      comment: 'mdast and typed-document-node are types alone.',
      severity: 'error',
      from: { pathNot: '/generated/' },
      to: { couldNotResolve: true, pathNot: '^(mdast|@graphql-typed-document-node/core)$' },
    },
    {
      name: 'domain-is-pure',
      comment: 'The domain imports itself, and what is pure itself: hashing, and libraries without effects.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: {
        pathNot: [
          '^src/domain/',
          '^(node:)?crypto$',
          'node_modules/(zod|yaml|re2js|diff|croner|mdast-util-from-markdown|tinyqueue)/',
          '^mdast$',
        ],
      },
    },
    {
      name: 'queue-model-imports-nothing-of-the-queue',
      comment: 'The folders of domain/queue: model ← evidence ← landing ← planning ← linear, speculation ← plan.ts.',
      severity: 'error',
      from: { path: '^src/domain/queue/model/' },
      to: { path: '^src/domain/queue/', pathNot: '^src/domain/queue/model/' },
    },
    {
      name: 'queue-evidence-and-requests-know-the-model',
      severity: 'error',
      from: { path: '^src/domain/queue/(evidence|requests)/' },
      to: { path: '^src/domain/queue/', pathNot: '^src/domain/queue/(model|$1)/' },
    },
    {
      name: 'queue-landing-knows-evidence',
      severity: 'error',
      from: { path: '^src/domain/queue/landing/' },
      to: { path: '^src/domain/queue/', pathNot: '^src/domain/queue/(model|evidence|landing)/' },
    },
    {
      name: 'queue-planning-is-what-both-planners-share',
      severity: 'error',
      from: { path: '^src/domain/queue/planning/' },
      to: { path: '^src/domain/queue/', pathNot: '^src/domain/queue/(model|evidence|landing|planning)/' },
    },
    {
      name: 'queue-planners-know-nothing-of-each-other',
      severity: 'error',
      from: { path: '^src/domain/queue/(linear|speculation)/' },
      to: { path: '^src/domain/queue/', pathNot: '^src/domain/queue/(model|evidence|landing|planning|$1)/' },
    },
    {
      name: 'queue-decisions-need-no-explanations',
      comment: 'explain/ reads every folder. Of the others, only the dry run reads it, for its sentences.',
      severity: 'error',
      from: { path: '^src/domain/queue/', pathNot: '^src/domain/queue/(explain/|dry-run\\.ts)' },
      to: { path: '^src/domain/queue/(explain/|dry-run\\.ts)' },
    },
    {
      name: 'queue-folders-do-not-plan',
      severity: 'error',
      from: { path: '^src/domain/queue/[^/]+/' },
      to: { path: '^src/domain/queue/(plan|dry-run)\\.ts' },
    },
    {
      name: 'roots-are-not-imported',
      comment:
        'A composition root chooses implementations, so nothing may depend on one. context.ts holds types alone.',
      severity: 'error',
      from: { path: '^(src|workflows|rest-facade)/', pathNot: roots },
      to: { path: roots, pathNot: context },
    },
    {
      name: 'workflow-is-deterministic',
      comment: 'Workflow code runs in a sandbox: domain, messages, its own files, and the types of activities.',
      severity: 'error',
      from: { path: '^workflows/', pathNot: activities },
      to: {
        pathNot: ['^workflows/', '^src/domain/', 'node_modules/@temporalio/(workflow|common)/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'workflow-knows-activities-by-type',
      severity: 'error',
      from: { path: '^workflows/', pathNot: activities },
      to: { path: activities, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'activities-use-modules-by-index',
      severity: 'error',
      from: { path: activities },
      to: { path: '^src/modules/[^/]+/', pathNot: '^src/modules/[^/]+/index\\.ts$' },
    },
    {
      name: 'facade-knows-a-schema-and-an-executor',
      comment: 'The REST facade is generated from GraphQL documents: never the modules, the hosts or the ORM.',
      severity: 'error',
      from: { path: '^rest-facade/' },
      to: {
        pathNot: '^src/platform/project-root\\.ts$',
        path: ['^src/(modules|hosts|platform|launcher)/', '^workflows/', 'node_modules/(@mikro-orm|pg|kysely)/'],
      },
    },
    {
      name: 'mcp-knows-the-graphql-api-alone',
      comment: 'The tools of /mcp are a client of the API: they import themselves and the documents that they send.',
      severity: 'error',
      from: { path: '^src/mcp/' },
      to: { path: '^(src|workflows|rest-facade)/', pathNot: '^src/mcp/' },
    },
    {
      name: 'large-libraries-are-loaded-when-needed',
      comment:
        'Loading the libraries of models, docker, MCP and workers takes much of the CPU of a start. Most processes need none.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/platform/agents/model/', '^src/platform/analysis/review\\.ts$', '^src/mcp/'],
      },
      to: {
        path: [
          '^src/platform/agents/model/(?!settings)',
          '^src/platform/analysis/review\\.ts$',
          '^src/mcp/',
          '^src/worker\\.ts$',
          'node_modules/(ai|@ai-sdk/[^/]+|dockerode|@modelcontextprotocol/sdk)/',
        ],
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'service-keeps-out-of-other-modules',
      comment: 'Another module is its index.ts; GraphQL types and tables point at each other across modules.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: {
        path: '^src/modules/[^/]+/',
        pathNot: ['^src/modules/$1/', '^src/modules/[^/]+/index\\.ts$', '\\.(entities|types)\\.ts$'],
      },
    },
    {
      name: 'module-knows-workflows-by-messages',
      severity: 'error',
      from: { path: '^src/modules/' },
      to: { path: '^workflows/', pathNot: 'messages\\.ts$' },
    },
    {
      name: 'module-knows-hosts-by-port',
      comment:
        'What an App is and asks, and what its webhooks tell, is the language between the host github and its module.',
      severity: 'error',
      from: { path: '^src/modules/' },
      to: {
        path: '^src/hosts/',
        pathNot: '^src/hosts/(port|github/(app|app-client|octokit|retry-call|webhook-events))\\.ts$',
      },
    },
    {
      name: 'roots-choose-the-host',
      comment: 'What only the local host can do is LocalHostFeatures in the port.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: '^src/hosts/' },
      to: { path: '^src/hosts/(local|git)/' },
    },
    {
      name: 'resolver-is-thin',
      comment: 'A resolver calls its own service; rules and SQL live there.',
      severity: 'error',
      from: { path: '\\.resolver\\.ts$' },
      to: { path: ['\\.entities\\.ts$', 'node_modules/(@mikro-orm|pg|kysely)/'] },
    },
    {
      name: 'graphql-types-are-not-entities',
      severity: 'error',
      from: { path: '\\.types\\.ts$' },
      to: { path: '\\.entities\\.ts$' },
    },
    {
      name: 'adapter-knows-its-port',
      comment: 'A code host adapter: its port, the domain, the platform, and git plumbing.',
      severity: 'error',
      from: { path: '^src/hosts/([^/]+)/' },
      to: {
        path: '^(src|workflows|rest-facade)/',
        pathNot: [
          '^src/hosts/$1/',
          '^src/hosts/git/',
          '^src/hosts/port\\.ts$',
          '^src/domain/',
          '^src/platform/',
          context,
        ],
      },
    },
    {
      name: 'platform-knows-no-business',
      severity: 'error',
      from: { path: '^src/platform/', pathNot: '^src/platform/(providers|previews)/' },
      to: {
        path: ['^src/(modules|hosts|launcher)/', '^workflows/', '^rest-facade/'],
        pathNot: ['\\.entities\\.ts$', '^src/modules/entities\\.ts$'],
      },
    },
    {
      name: 'providers-know-hosts-by-port',
      comment: 'Who builds, deploys or boots takes its checkout from the code host: by the port, like everybody.',
      severity: 'error',
      from: { path: '^src/platform/(providers|previews)/' },
      to: {
        path: ['^src/(modules|hosts|launcher)/', '^workflows/', '^rest-facade/'],
        pathNot: '^src/hosts/port\\.ts$',
      },
    },
    {
      name: 'launcher-stands-alone',
      severity: 'error',
      from: { path: '^src/launcher/' },
      to: { path: '^(src|workflows|rest-facade)/', pathNot: '^src/(launcher|platform)/' },
    },
    {
      name: 'emulator-of-github-stands-alone',
      comment: 'It judges the adapter, so the two share no code but what starts programs.',
      severity: 'error',
      from: { path: '^github-emulator/' },
      to: { path: '^(src|workflows|rest-facade|test|bench)/', pathNot: '^src/platform/spawning/index' },
    },
    {
      name: 'product-does-not-import-the-emulator',
      severity: 'error',
      from: { path: '^(src|workflows|rest-facade|bench)/' },
      to: { path: '^github-emulator/' },
    },
    {
      name: 'dashboard-imports-nothing-of-the-server',
      comment: 'It is a client of the API like any other.',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: { path: '^(src|workflows|rest-facade|test|bench|github-emulator)/' },
    },
    {
      name: 'dashboard-features-know-design-and-app',
      comment: 'A feature imports itself, what all pages share, and its generated operations.',
      severity: 'error',
      from: {
        path: '^dashboard/src/(queue|releases|runbooks|previews|repositories|accounts|analytics|events|webhooks)/',
      },
      to: { path: '^dashboard/src/', pathNot: '^dashboard/src/($1|app|design|generated)/' },
    },
    {
      name: 'dashboard-app-knows-design',
      severity: 'error',
      from: { path: '^dashboard/src/(app|design)/' },
      to: { path: '^dashboard/src/', pathNot: '^dashboard/src/(app|design|generated)/' },
    },
    {
      name: 'dashboard-design-knows-nothing-else',
      severity: 'error',
      from: { path: '^dashboard/src/design/' },
      to: { path: '^dashboard/src/', pathNot: '^dashboard/src/design/' },
    },
    {
      name: 'server-does-not-import-the-dashboard',
      severity: 'error',
      from: { path: '^(src|workflows|rest-facade|bench|github-emulator)/' },
      to: { path: '^dashboard/' },
    },
    {
      name: 'command-line-imports-nothing-of-the-server',
      comment: 'It is a client of the API like any other.',
      severity: 'error',
      from: { path: '^cli/' },
      to: {
        path: '^(src|workflows|rest-facade|test|bench|github-emulator|dashboard)/',
        // How a program of Node starts and ends is no business of the server.
        pathNot: '^src/platform/(node-flags|exit-codes)\\.ts$',
      },
    },
    {
      name: 'action-knows-the-openapi-document-alone',
      comment: 'The Action is a client of the REST API: of the rest it imports generated types.',
      severity: 'error',
      from: { path: '^action/' },
      to: {
        path: '^(src|cli|workflows|rest-facade|test|bench|github-emulator|dashboard)/',
        pathNot: '^rest-facade/generated/',
      },
    },
    {
      name: 'command-line-commands-know-client-and-output',
      comment: 'Its folders: output ← client ← commands ← run.ts.',
      severity: 'error',
      from: { path: '^cli/client/' },
      to: { path: '^cli/(commands/|run|main)' },
    },
    {
      name: 'command-line-output-knows-nothing-else',
      severity: 'error',
      from: { path: '^cli/output/' },
      to: { path: '^cli/', pathNot: '^cli/output/' },
    },
    {
      name: 'nothing-imports-the-command-line',
      severity: 'error',
      from: { path: '^(src|workflows|rest-facade|bench|github-emulator|dashboard)/' },
      to: { path: '^cli/' },
    },
    {
      name: 'product-does-not-import-tests',
      severity: 'error',
      from: { path: '^(src|cli|workflows|rest-facade)/' },
      to: { path: '^(test|bench)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.json'],
    },
  },
};
