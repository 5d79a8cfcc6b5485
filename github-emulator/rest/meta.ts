// What the server says about itself.
import { ok, type RestRoute, route } from '../http/route.ts';

export const metaRoutes: readonly RestRoute[] = [
  route('GET', '/meta', () => ok({ verifiable_password_authentication: false, installed_version: '3.20.0' })),
];
