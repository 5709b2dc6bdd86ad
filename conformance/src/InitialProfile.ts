import { needs } from "./Need.ts"

/** What a new profile is begun with. */
export interface Beginning {
  readonly name: string
  readonly tenantBaseUrl: string
  readonly clientId: string
  readonly secretVariable: string
  /** Where an editor finds the JSON Schema of profiles: a path from the profile's folder, or a URL. */
  readonly schema: string
}

/**
 * A profile to go on from, as YAML: what is known, and for each thing that a profile may tell besides, what it is for
 * and an example, commented out.
 */
export const initialProfile = ({ clientId, name, schema, secretVariable, tenantBaseUrl }: Beginning): string => {
  const known = {
    name,
    newer: { tenantBaseUrl },
    principals: { admin: { oauth: { clientId, clientSecret: `\${${secretVariable}}` } } },
    groups: { worker: { delete: { method: "DELETE", path: "/workers/{{id}}" } } }
  }
  const lines = Object.entries(known).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  const more = Object.entries(needs).flatMap(([need, { lines: example, text }]) => [
    "#",
    `# ${need}: ${text}.`,
    ...example.map((line) => `#   ${line}`)
  ])
  return [
    `# yaml-language-server: $schema=${schema}`,
    "# A profile of one deployment, for wcs-conformance. Secrets are named by environment variables and never written here.",
    ...lines,
    "#",
    "# How far a run may go: read, create, mutate-own, irreversible, exhaust.",
    'run: {"ceiling":"mutate-own"}',
    "#",
    "# Each of the following lets more rules be judged; `wcs-conformance plan` says which. A need that the deployment",
    "# offers through no interface is named here, and its rules are reported as not applicable:",
    "notOffered: []",
    ...more,
    ""
  ].join("\n")
}
