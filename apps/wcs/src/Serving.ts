import { resolve } from "node:path"
import { Serving } from "@wcs/deployment/Serving"
import { Settings } from "@wcs/deployment/Settings"
import { setUpPath } from "@wcs/deployment/SetUpRoute"
import * as Server from "@wcs/http-node/Server"
import { Console, Effect, Option, Redacted } from "effect"
import { calledAs, shellWord } from "./CalledAs.ts"
import { adminUrl, inUrl } from "./ListenUrl.ts"

/** The addresses of the server, and the set-up address. */
const describe = Effect.gen(function* () {
  const { adminPort, certificateFile, plainPort, port, setUpToken } = yield* Serving
  const { host, tls } = yield* Settings
  const name = Option.match(host, { onNone: () => "localhost", onSome: inUrl })
  const url = `${tls._tag === "Proxy" ? "http" : "https"}://${name}:${port}`
  return {
    url,
    port,
    plainPort: Option.getOrNull(plainPort),
    adminUrl: yield* adminUrl(adminPort),
    adminPort,
    certificateFile: Option.getOrNull(certificateFile),
    setUpUrl: Option.getOrNull(Option.map(setUpToken, (token) => `${url}${setUpPath}/${Redacted.value(token)}`))
  }
})

const announce = Effect.fnUntraced(function* (isJson: boolean) {
  const description = yield* describe
  if (isJson) return yield* Console.log(JSON.stringify(description))
  // `wcs admin` finds the server by the data directory, also from another directory
  const place = shellWord(resolve((yield* Settings).dataDirectory))
  const { wcs } = calledAs(process.env, process.argv[1])
  const command = `WCS_DATA=${place} ${wcs} admin create-client --name NAME`
  const { adminUrl, certificateFile, plainPort, setUpUrl, url } = description
  const lines = [
    `Listening on ${url}`,
    ...(certificateFile === null ? [] : [`  certificate  ${certificateFile}`]),
    `  console      ${url}/console`,
    `  reference    ${url}/docs`,
    `  health       ${adminUrl}/readyz`,
    ...(plainPort === null ? [] : [`  plain HTTP   refused with 400 on port ${plainPort}`]),
    "",
    ...(setUpUrl === null
      ? [`To create an OAuth client: ${command}`]
      : [
          "Nobody can log in or call the API yet. Create the first Super Admin at this address within 30 minutes:",
          `  ${setUpUrl}`,
          `or create an OAuth client on this machine: ${command}`
        ])
  ]
  yield* Console.log(lines.join("\n"))
})

/** Runs a server that prints its addresses. */
export const run = (isJson: boolean) => Server.main(announce(isJson))
