// Which folder builds on which. Tests stand beside what they test and use all of it, so they are left out.
import { options } from './.dependency-cruiser.mjs';

export default {
  forbidden: [
    {
      name: 'rooms-in-one-direction',
      comment: 'Of two folders, one builds on the other: what both need stands below them.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: { ...options, exclude: { path: ['^server/dist/', '\\.test\\.tsx?$', '^server/test/'] } },
};
