// Which folder builds on which. Tests stand beside what they test and use all of it, so they are left out.
import { options } from './.dependency-cruiser.mjs';

export default {
  forbidden: [
    {
      name: 'rooms-in-one-direction',
      comment: 'Two folders must not import each other. Move code that both need to a folder below them.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: { ...options, exclude: { path: ['^server/dist/', '\\.test\\.tsx?$', '^server/test/'] } },
};
