import { parse } from "yaml"
import { isObject, type Json } from "../wire/Json.ts"
import { needs } from "./Need.ts"

/** What a new profile is begun with. */
export interface Beginning {
  readonly name: string
  readonly tenantBaseUrl: string
  readonly clientId: string
  readonly secretVariable: string
  /** Where an editor finds the JSON Schema of profiles: a path from the profile's folder, or a URL. */
  readonly schema: string
  /** A PEM file of issuers of its own: a path from the profile's folder. */
  readonly caFile?: string
}

/** A line of the profile, by the keys that lead to it; an example says what it is for, and stands in a comment. */
interface Entry {
  readonly path: ReadonlyArray<string>
  readonly value: Json
  readonly about?: string
}

/** What has lines of its own inside. */
const isContainer = (path: ReadonlyArray<string>): boolean =>
  path.length === 1
    ? ["newer", "principals", "legacy", "groups", "ownership", "webLogin", "run"].includes(path[0] ?? "")
    : path.length === 2 && path[0] === "groups"

const entriesOf = (value: Json, path: ReadonlyArray<string> = []): ReadonlyArray<Entry> =>
  isObject(value) && (path.length === 0 || isContainer(path))
    ? Object.entries(value).flatMap(([key, inner]) => entriesOf(inner, [...path, key]))
    : [{ path, value }]

/** The examples of every need, each with what it is for. */
const examples: ReadonlyArray<Entry> = Object.entries(needs).flatMap(([need, { lines, text }]) =>
  lines.flatMap((line) => {
    const told: Json = parse(`{ ${line} }`)
    return entriesOf(told).map((entry) => ({ ...entry, about: `${need}: ${text}` }))
  })
)

/** What needs nothing, and is wanted by some. */
const furtherExamples: ReadonlyArray<Entry> = [
  {
    path: ["tls"],
    value: { caFile: "issuer.pem" },
    about: "PEM, beside the profile: issuers that the system does not trust"
  }
]

/** A value in one line, as YAML: names stand by themselves, and `…` for what is to be filled in. */
const flow = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, inner]) => (key === "…" ? key : `${key}: ${flow(inner)}`))
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}

/** Taken away from its beginning, it makes a line one of the profile. */
const hidden = "# "

/** Entries of one place: an example that is there already is not told again. */
const told = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  entries.filter(({ value }, index) => entries.findIndex((one) => flow(one.value) === flow(value)) === index)

const leavesOf = (key: string, entries: ReadonlyArray<Entry>, indent: string): ReadonlyArray<string> =>
  told(entries).flatMap(({ about, value }, index) => {
    const line = `${indent}${key}: ${flow(value)}`
    if (about === undefined) return [line]
    // of two at one place only one can be taken as it stands
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
  // what two lines after each other are for is said once
  return lines.filter((line, index) => !line.startsWith(`#${hidden}`) || line !== lines[index - 2])
}

/**
 * A profile to go on from, as YAML: what is known, and for each thing that a profile may tell besides, at its place, what
 * it is for and an example in a comment.
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
    `# yaml-language-server: $schema=${schema}`,
    "# A profile of one deployment, for wcs-conformance. Secrets are named by environment variables and never written here.",
    "#",
    "# Each line that begins with one # is an example: without its `# `, and with those above it that it stands in, it lets",
    "# more rules be judged; … is for you to fill in. `wcs-conformance plan` says which rules, and what is wrong.",
    "#",
    "# run.ceiling says how far a run may go: read, create, mutate-own, irreversible, exhaust. A need that the deployment",
    "# offers through no interface goes into notOffered by its name: its rules are then reported as not applicable.",
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
