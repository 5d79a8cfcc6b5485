// GraphiQL for /graphiql, bundled whole: it works without the internet. The token is kept for the tab alone.
import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import './page.css';
import { GraphiQL } from 'graphiql';
import { getOperationAST } from 'graphql';
import { createClient } from 'graphql-ws';
import { createElement as h, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';

const tokenKey = 'interlock-token';
const endpoint = new URL('/graphql', location.href);
const socketEndpoint = new URL('/graphql', location.href.replace(/^http/, 'ws'));

const defaultQuery = `# Interlock's GraphQL API, asked with the token above.

query Queue {
  viewer { email account { name } }
  repositories(first: 10) {
    nodes {
      owner
      name
      queueDepth { queued processing waiting }
      queuedPullRequests { number title status explain { who sentence } }
    }
  }
}
`;

function fetcherOf(token) {
  const authorization = token === '' ? {} : { Authorization: `Bearer ${token}` };
  const sockets = createClient({ url: socketEndpoint.href, connectionParams: authorization, retryAttempts: 0 });
  return (params, options) => {
    const operation = options?.documentAST && getOperationAST(options.documentAST, params.operationName);
    if (operation?.operation === 'subscription') return sockets.iterate(params);
    return fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization, ...options?.headers },
      body: JSON.stringify(params),
    }).then((response) => response.json());
  };
}

function Page() {
  const [token, setToken] = useState(() => sessionStorage.getItem(tokenKey) ?? '');
  const fetcher = useMemo(() => fetcherOf(token), [token]);
  const change = (event) => {
    sessionStorage.setItem(tokenKey, event.target.value.trim());
    setToken(event.target.value.trim());
  };
  return h(
    'div',
    { className: 'page' },
    h(
      'label',
      { className: 'token' },
      'API token',
      h('input', {
        type: 'password',
        autoComplete: 'off',
        spellCheck: false,
        placeholder: 'il_live_…',
        value: token,
        onChange: change,
      }),
    ),
    // A new token is a new schema request. Without one there is none: its answer would be a refusal.
    token === ''
      ? h(
          'p',
          { className: 'hint' },
          'Put an API token in the field above to explore the schema. The first token is in access.json in the data directory of npm start.',
        )
      : h('div', { className: 'graphiql' }, h(GraphiQL, { key: token, fetcher, defaultQuery })),
  );
}

createRoot(document.getElementById('root')).render(h(Page));
