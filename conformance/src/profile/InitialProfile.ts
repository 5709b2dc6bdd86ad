import { parse } from "yaml"
import { isObject, type Json } from "../text/Json.ts"
import { needs } from "./Need.ts"

/** The values of a new profile. */
export interface Beginning {
  readonly name: string
  readonly tenantBaseUrl: string
  readonly clientId: string
  readonly secretVariable: string
  /** The JSON Schema of profiles for editors: a path from the profile's folder, or a URL. Optional. */
  readonly schema: string | undefined
  /** A PEM file of private issuers: a path from the profile's folder. */
  readonly caFile?: string
}

/** An entry of the profile by its keys. An entry with `about` is an example in a comment. */
interface Entry {
  readonly path: ReadonlyArray<string>
  readonly value: Json
  readonly about?: string
}

/** Whether an entry has nested lines. */
const isContainer = (path: ReadonlyArray<string>): boolean =>
  path.length === 1
    ? ["newer", "principals", "legacy", "groups", "owners", "ownership", "webLogin", "run"].includes(path[0] ?? "")
    : path.length === 2 && path[0] === "groups"

const entriesOf = (value: Json, path: ReadonlyArray<string> = []): ReadonlyArray<Entry> =>
  isObject(value) && (path.length === 0 || isContainer(path))
    ? Object.entries(value).flatMap(([key, inner]) => entriesOf(inner, [...path, key]))
    : [{ path, value }]

/** The examples of every need, with their purpose. */
const examples: ReadonlyArray<Entry> = Object.entries(needs).flatMap(([need, { lines, text }]) =>
  lines.flatMap((line) => {
    const told: Json = parse(`{ ${line} }`)
    return entriesOf(told).map((entry) => ({ ...entry, about: `${need}: ${text}` }))
  })
)

/** Optional entries that no need names. */
const furtherExamples: ReadonlyArray<Entry> = [
  {
    path: ["tls"],
    value: { caFile: "issuer.pem" },
    about: "PEM file, relative to the profile: issuers that the system does not trust"
  },
  {
    path: ["network"],
    value: { headers: { "X-Api-Key": "${CONF_API_KEY}" } },
    about: "what a gateway in front requires: headers, clientCertificate"
  }
]

/** Formats a value as YAML in one line. */
const flow = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, inner]) => `${key}: ${flow(inner)}`)
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}

/** The comment mark of an example. */
const hidden = "# "

/** Removes duplicate examples of one entry. */
const told = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  entries.filter(({ value }, index) => entries.findIndex((one) => flow(one.value) === flow(value)) === index)

const leavesOf = (key: string, entries: ReadonlyArray<Entry>, indent: string): ReadonlyArray<string> =>
  told(entries).flatMap(({ about, value }, index) => {
    const line = `${indent}${key}: ${flow(value)}`
    if (about === undefined) return [line]
    // of two examples for one entry only the first can be used unchanged
    return [`#${hidden}${indent}${about}`, `${index > 0 ? "#" : ""}${hidden}${line}`]
  })

const linesOf = (entries: ReadonlyArray<Entry>, depth = 0): ReadonlyArray<string> => {
  const indent = "  ".repeat(depth)
  const lines = [...Map.groupBy(entries, ({ path }) => path[depth] ?? "")].flatMap(([key, own]) => {
    const inner = own.filter(({ path }) => path.length > depth + 1)
    const mark = own.some(({ about }) => about === undefined) ? "" : hidden
    const nested = inner.length === 0 ? [] : [`${mark}${indent}${key}:`, ...linesOf(inner, depth + 1)]
    return [
      ...nested,
      ...leavesOf(
        key,
        own.filter(({ path }) => path.length === depth + 1),
        indent
      )
    ]
  })
  // do not repeat the comment of the previous example
  return lines.filter((line, index) => !line.startsWith(`#${hidden}`) || line !== lines[index - 2])
}

/**
 * Returns a first profile as YAML: the known entries, and a commented example with its purpose for each optional entry.
 */
export const initialProfile = ({
  caFile,
  clientId,
  name,
  schema,
  secretVariable,
  tenantBaseUrl
}: Beginning): string => {
  const known: Json = {
    name,
    newer: { tenantBaseUrl },
    ...(caFile === undefined ? {} : { tls: { caFile } }),
    principals: { admin: { oauth: { clientId, clientSecret: `\${${secretVariable}}` } } },
    groups: { worker: { delete: { method: "DELETE", path: "/workers/{{id}}" } } },
    run: { ceiling: "mutate-own" },
    notOffered: []
  }
  const begun = entriesOf(known)
  return [
    ...(schema === undefined ? [] : [`# yaml-language-server: $schema=${schema}`]),
    "# A profile of one deployment, for wcs-conformance. Secrets are never in this file: name environment variables instead.",
    "#",
    "# Each line that begins with one # is an example. Remove its `# `, and the `# ` of the lines that contain it, to judge",
    "# more rules. Replace every ‹…› with a value. `wcs-conformance plan` shows the rules that are still blocked, and mistakes.",
    "#",
    "# run.ceiling is the most that a run may change: read, create, mutate-own, irreversible, exhaust. List the needs that",
    "# the deployment offers through no interface in notOffered: their rules are then reported as not applicable.",
    ...linesOf([
      ...begun,
      ...[...furtherExamples, ...examples].filter(({ path, value }) => !isSaid(begun, path, value))
    ]),
    ""
  ].join("\n")
}

const isSaid = (begun: ReadonlyArray<Entry>, path: ReadonlyArray<string>, value: Json): boolean =>
  begun.some(
    (entry) =>
      entry.path.join() === path.join() &&
      (path[0] === "principals" || path[0] === "tls" || flow(entry.value) === flow(value))
  )
