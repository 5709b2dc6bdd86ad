import { type Schema, SchemaIssue } from "effect"
import { isObject, type Json } from "../text/Json.ts"
import { nearest } from "./Nearest.ts"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()
const maxReasons = 10

const pathOf = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")

interface Issue {
  readonly path: string
  readonly message: string
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(".")))

/** Removes errors about alternatives: an error inside `oauth` makes "`token` is missing" useless. */
const withoutAlternatives = (issues: ReadonlyArray<Issue>): ReadonlyArray<Issue> => {
  const begun = issues.filter(
    ({ message, path }) => isUnknown(message) && issues.some((other) => other.path.startsWith(`${path}.`))
  )
  const beside = new Set(begun.map(({ path }) => parentOf(path)))
  return issues.filter(
    (issue) => !begun.includes(issue) && !(issue.message === missingKey && beside.has(parentOf(issue.path)))
  )
}

const missingKey = "Missing key"
const isUnknown = (message: string): boolean => message === "Expected no excess property"

/** Returns every property name in a schema. */
const names = (schema: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(schema)
    ? schema.flatMap(names)
    : isObject(schema)
      ? Object.entries(schema).flatMap(([key, inner]) =>
          key === "properties" && isObject(inner) ? [...Object.keys(inner), ...names(inner)] : names(inner)
        )
      : []

const sentenceOf = ({ message, path }: Issue, schema: () => Json): string => {
  if (!isUnknown(message)) return path === "" ? message : `${path}: ${message === missingKey ? "is missing" : message}`
  const meant = nearest(path.slice(path.lastIndexOf(".") + 1), names(schema()))
  return `${path}: unknown name${meant === undefined ? "" : `; did you mean ${meant}?`}`
}

/**
 * Returns the errors in a file: the place and what is expected there, never the actual value. `schema` is the JSON
 * Schema of such files, for suggestions of names.
 */
export const mistakesIn = (error: Schema.SchemaError, schema: () => Json): ReadonlyArray<string> => {
  const { issues } = issuesOf(error.issue)
  const found = issues.map(({ message, path }) => ({
    path: pathOf(path ?? []),
    // messages quote the actual value, which may be a secret
    message: message.replace(/,? (got|actual) .*$/su, "")
  }))
  const told = withoutAlternatives(found)
  const sentences = told.slice(0, maxReasons).map((issue) => sentenceOf(issue, schema))
  return told.length > maxReasons ? [...sentences, `${told.length - maxReasons} more`] : sentences
}
