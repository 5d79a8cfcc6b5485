// Icons of 16 by 16 pixels, drawn as strokes. They are decoration: a word is always next to the icon or in its label.
import type { ReactNode } from 'react';
import styles from './parts.module.css';
import { cx } from './cx.ts';

const paths = {
  queue: 'M4 2v12M4 5h8M4 11h8M12.5 5h1M12.5 11h1',
  pulls:
    'M4 2.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6zM4 10.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6zM12 10.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6zM4 6v4M12 10V6a2 2 0 0 0-2-2H8',
  releases: 'M8 2v8M5 5l3-3 3 3M3 10v3h10v-3',
  runbooks: 'M3 3h7l3 3v7H3zM6 7h4M6 10h4',
  previews: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4z',
  analytics: 'M2 13h12M4 10V7M8 10V3M12 10V6',
  configuration: 'M2 5h7M13 5h1M2 11h1M7 11h7M11 3a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM5 9a2 2 0 1 1 0 4 2 2 0 0 1 0-4z',
  activity: 'M3 4h10M3 8h10M3 12h6',
  webhooks: 'M6 6a3 3 0 1 1 4 2l2 3M9 12H5a2.5 2.5 0 1 1 0-5',
  people:
    'M6 2.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM1.5 13c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M11 3a2.5 2.5 0 0 1 0 4.5M12.5 9.5c1.3.6 2 1.8 2 3.5',
  tokens: 'M5 8a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM7 9l6-6M11 5l2 2',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.5 10.5L14 14',
  open: 'M6 3H3v10h10v-3M9 3h4v4M13 3L7 9',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3l8 5-8 5z',
  freeze: 'M8 2v12M2.8 5l10.4 6M13.2 5L2.8 11',
  clock: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 4.5V8l2.5 1.5',
  seal: 'M8 1.8l5 2v4c0 3-2 5.2-5 6.4-3-1.2-5-3.4-5-6.4v-4zM5.7 7.8l1.7 1.7 3-3.2',
  check: 'M3 8.5l3.2 3.2L13 5',
  cross: 'M4 4l8 8M12 4l-8 8',
  running: 'M8 2.5A5.5 5.5 0 1 1 2.5 8',
  circle: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11z',
  flow: 'M4 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM12 2a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM12 10a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM6 7l4-2M6 9l4 2',
  down: 'M4 6l4 4 4-4',
  download: 'M8 2v8M5 7l3 3 3-3M3 10v3h10v-3',
  sun: 'M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  back: 'M3 7h7a3.5 3.5 0 0 1 0 7H7M3 7l3-3M3 7l3 3',
  signOut: 'M9 3H3v10h6M7 8h7M11 5l3 3-3 3',
  copy: 'M6 6h7v7H6zM10 6V3H3v7h3',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, className }: { readonly name: IconName; readonly className?: string }): ReactNode {
  return (
    <svg className={cx(styles['icon'], className)} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

export function Mark(): ReactNode {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" fill="none" strokeWidth="3" aria-hidden="true">
      <path d="M3 7h9a4 4 0 0 1 0 8" stroke="currentColor" />
      <path d="M17 13H8a4 4 0 0 1 0-8" stroke="var(--green-f)" />
    </svg>
  );
}
