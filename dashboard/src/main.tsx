// Starts the dashboard.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from '@tanstack/react-router';
import { Provider } from 'urql';
import './design/tokens.css';
import './design/base.css';
import { client } from './app/client.ts';
import { router } from './routes.tsx';

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <Provider value={client}>
        <RouterProvider router={router} />
      </Provider>
    </StrictMode>,
  );
