import { createHash } from 'node:crypto';

/**
 * Returns a list of components in SPDX 2.3. It has the same content as the list in CycloneDX, so that a reader needs only
 * the format that their tools know. The time is that of the commit, and the namespace contains the hash of the content.
 */
export function toSpdx(bom, { version, committedAt }) {
  const root = bom.metadata.component;
  const components = [root, ...bom.components];
  const ids = new Map(components.map((one, index) => [one['bom-ref'], `SPDXRef-Package-${index}`]));
  const digest = createHash('sha256').update(JSON.stringify(bom)).digest('hex');
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `strongroom-${version}`,
    documentNamespace: `https://spdx.org/spdxdocs/strongroom-${version}-${digest}`,
    creationInfo: {
      created: new Date(committedAt * 1000).toISOString().replace('.000', ''),
      creators: ['Tool: strongroom-release'],
    },
    documentDescribes: [ids.get(root['bom-ref'])],
    packages: components.map((one) => toPackage(one, ids.get(one['bom-ref']))),
    relationships: bom.dependencies.flatMap(({ ref, dependsOn }) =>
      dependsOn.map((other) => ({
        spdxElementId: ids.get(ref),
        relationshipType: 'DEPENDS_ON',
        relatedSpdxElement: ids.get(other),
      })),
    ),
  };
}

function toPackage({ group, name, version, licenses = [], hashes = [], purl }, id) {
  const [licence] = licenses.map((one) => one.expression ?? one.license.id);
  return {
    SPDXID: id,
    name: group === undefined ? name : `${group}/${name}`,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: licence ?? 'NOASSERTION',
    copyrightText: 'NOASSERTION',
    ...(hashes.length === 0
      ? {}
      : { checksums: hashes.map(({ alg, content }) => ({ algorithm: alg.replace('-', ''), checksumValue: content })) }),
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
  };
}
