// Configures how the dashboard is built, and how `npm run dashboard` serves it in front of a running Interlock.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const interlock = process.env['INTERLOCK_URL'] ?? 'http://127.0.0.1:4000';

// The server accepts the cookie of a session only in requests of its own origin.
const proxied = { target: interlock, changeOrigin: true, headers: { origin: interlock } };

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [react()],
  css: { modules: { generateScopedName: '[name]_[local]_[hash:base64:4]' } },
  build: {
    target: 'es2024',
    modulePreload: { polyfill: false },
    // The page of embed links is built too. It loads nothing of the dashboard.
    rollupOptions: { input: ['index.html', 'embed.html'].map((page) => fileURLToPath(new URL(page, import.meta.url))) },
    // A data: URL would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
  },
  server: {
    proxy: {
      '/graphql': { ...proxied, ws: true },
      '/session': proxied,
      '/api': proxied,
      '/git': proxied,
      '/embed': proxied,
      '/healthz': proxied,
    },
  },
});
