import path from 'node:path';

export default {
  // The example uses files of other folders of this repository. A shop of your own does not need this.
  turbopack: { root: path.resolve(import.meta.dirname, '../..') },
};
