import { type JsonObject, put } from "@wcs/domain/shared/Json"
import type { Endpoint } from "../Endpoints.ts"
import { describePatches } from "../PatchBodies.ts"
import { describeFiles } from "./DescribedFiles.ts"
import { describeGrants } from "./DescribedGrants.ts"
import { describeGuards } from "./DescribedGuards.ts"
import { describeHeaders } from "./DescribedHeaders.ts"
import { describeKeys } from "./DescribedKeys.ts"
import { describeParameters } from "./DescribedParameters.ts"
import { describeSessions } from "./DescribedSessions.ts"
import { describeTags } from "./DescribedTags.ts"
import { showExamples } from "./examples/Examples.ts"
import { openRequestBodies } from "./OpenRequestBodies.ts"
import { plainIntegers } from "./PlainIntegers.ts"
import { markReadOnly } from "./ReadOnlyFields.ts"
import { shareParts } from "./SharedParts.ts"
import { summarize } from "./Summaries.ts"
import { uniteSchemas } from "./UnitedSchemas.ts"
import { describeWebhooks } from "./Webhooks.ts"

/** Scheme names ignore case (RFC 9110, section 11.1), but tools recognize only the lower-case name. */
const nameBearer = (document: JsonObject): JsonObject =>
  ["bearer", "legacyBearer"].reduce(
    (named, scheme) => put(named, ["components", "securitySchemes", scheme, "scheme"], "bearer"),
    document
  )

/** Completes the generated OpenAPI document for readers and client generators. */
export const complete = (
  newer: ReadonlyArray<Endpoint>,
  legacy: ReadonlyArray<Endpoint>,
  generated: JsonObject
): JsonObject => {
  const endpoints = [...newer, ...legacy]
  const steps: ReadonlyArray<(document: JsonObject) => JsonObject> = [
    nameBearer,
    describeKeys,
    uniteSchemas,
    describeParameters(endpoints),
    markReadOnly(newer),
    describePatches,
    openRequestBodies,
    describeTags(newer),
    describeHeaders(newer),
    summarize,
    showExamples,
    describeFiles(newer),
    describeWebhooks,
    plainIntegers,
    shareParts,
    (document) => describeGuards(endpoints, document),
    (document) => describeSessions(newer, document),
    describeGrants
  ]
  return steps.reduce((document, step) => step(document), generated)
}
