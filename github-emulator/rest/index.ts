// REST operations of accounts, repositories, pull requests and Apps.
import type { MakePart } from '../part.ts';
import { metaRoutes } from './meta.ts';

export const restPart: MakePart = () => ({ routes: [...metaRoutes] });
