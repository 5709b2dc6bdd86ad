import { filled, type LoadJob } from "./LoadJob.ts"

type Caller = Pick<LoadJob, "authorization" | "session" | "token">

/** The headers that identify the caller. */
const callerHeaders = (
  { authorization = "Bearer $token", session, token }: Caller,
  key: ReadonlyArray<string>
): ReadonlyArray<string> =>
  session === undefined
    ? [`Authorization: ${filled(authorization, key).replace("$token", token)}`]
    : [`Cookie: __Host-wcs=${session}`, "X-WCS-Console: 1", "Sec-Fetch-Site: same-origin"]

/** A call as a client behind the proxy makes it. */
export const requestText = (
  job: Caller & Pick<LoadJob, "template">,
  key: ReadonlyArray<string>,
  path: string,
  body: string
): string =>
  [
    `${job.template.method} ${path} HTTP/1.1`,
    "Host: localhost",
    ...callerHeaders(job, key),
    "Accept: application/json",
    "X-Forwarded-For: 198.51.100.7",
    "X-Forwarded-Proto: https",
    "X-Request-Id: 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    ...(body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
    "",
    body
  ].join("\r\n")
