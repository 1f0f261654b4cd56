/** The database that everything is in which does not lie on a node, as it is named among the nodes. */
export const homeName = 'home';
