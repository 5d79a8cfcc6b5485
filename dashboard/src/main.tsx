// Starts the dashboard.
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from '@tanstack/react-router';
import { Provider } from 'urql';
import './design/tokens.css';
import './design/base.css';
import { useFreshClient } from './app/client.ts';
import { router } from './routes.tsx';

function Dashboard(): ReactNode {
  return (
    <Provider value={useFreshClient()}>
      <RouterProvider router={router} />
    </Provider>
  );
}

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <Dashboard />
    </StrictMode>,
  );
