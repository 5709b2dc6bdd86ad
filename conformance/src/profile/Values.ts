import { Schema } from "effect"

// The schemas of single values in a profile.

export const secret = Schema.String.check(
  Schema.isPattern(/^\$\{[A-Z_][A-Z0-9_]*\}$/u, {
    expected: "the name of an environment variable, written ${NAME}: a profile contains no secrets"
  })
).annotate({
  identifier: "Secret",
  description: "The environment variable that holds the secret: ${CONF_TOKEN}. Never the secret itself."
})

/** A reference to an environment variable: `${CONF_TOKEN}`. */
export type Secret = typeof secret.Type

/** The characters of a text. */
export const maxText = 2000

export const text = Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(maxText))
const origin = { pattern: /^https?:\/\/[^\s/?#]+\/?$/u, expected: "a URL of scheme, host and port only" }

/** Whether a text is a URL of scheme, host and port only, without user name and password. */
export const isOrigin = (candidate: string): boolean =>
  origin.pattern.test(candidate) && URL.canParse(candidate) && new URL(candidate).username === ""

export const url = text
  .check(
    // the pattern below reports its own mismatches
    Schema.makeFilter((candidate) => !origin.pattern.test(candidate) || isOrigin(candidate), {
      expected: origin.expected
    }),
    Schema.isPattern(origin.pattern, { expected: origin.expected })
  )
  .annotate({
    description: "Scheme, host and port only."
  })
export const path = text.check(Schema.isPattern(/^\/[^\s]*$/u, { expected: "a path that begins with /" })).annotate({
  description: "Path below the newer surface's root, /openapi/v1. {{id}} is replaced by the id of the resource."
})
export const pathPrefix = text
  .check(Schema.isPattern(/^(\/[\w.~-]+)+$/u, { expected: "a path without a final slash, such as /tenants/t1" }))
  .annotate({ description: "The path before the surface's root, for a gateway that adds one." })
export const legacyPath = path.annotate({ description: "Path below the legacy surface's root, /api." })
/** JSON in which the suite replaces each `{{name}}`. Properties without a value are removed. */
export const template = Schema.Json.annotate({
  description: "JSON template. The suite replaces each {{name}}."
})

export const headerName = text.check(Schema.isPattern(/^[\w!#$%&'*+.^`|~-]+$/u, { expected: "the name of a header" }))
