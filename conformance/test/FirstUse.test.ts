import { readFileSync, rmSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { tenantUrlIn } from "@wcs/conformance/init/Access"
import { complaintAbout } from "@wcs/conformance/NodeVersion"
import { initialProfile } from "@wcs/conformance/profile/InitialProfile"
import { needs } from "@wcs/conformance/profile/Need"
import { Profile } from "@wcs/conformance/profile/Profile"
import { Result } from "effect"
import { parse } from "yaml"
import { commandLine, inFolder, writeProfile } from "./CommandLine.ts"
import { constant, serving, servingUntrusted, unanswered } from "./servers/GarbageServers.ts"

const secret = { CONF_CLIENT_SECRET: "not-a-secret-of-anybody" }

/** All that is known at first: an address, and the id of a client. */
const known = initialProfile("https://t1.example", "acme_oauth_1")

/** The error text and exit code of a refused command line. */
const refused = async (...args: ReadonlyArray<string>) => {
  const { code, told } = await commandLine(args)
  assert.strictEqual(code, 2, told)
  return told.trimEnd()
}

describe("the profile of a deployment", () => {
  it("is a file that init writes: a command without it names init as it can be typed", () =>
    inFolder(async (folder) => {
      const file = join(folder, "staging.yaml")
      const commands = {
        npx: "npx wcs-conformance init URL",
        "wcs-conformance": "npm run -s wcs-conformance -- init URL",
        test: ": wcs-conformance init URL"
      }
      for (const [event, expected] of Object.entries(commands)) {
        const { code, told } = await commandLine(["plan", "-p", file], { npm_lifecycle_event: event })
        assert.strictEqual(code, 2)
        assert.include(told, `${file} does not exist`)
        assert.include(told, expected)
      }
      assert.match(await refused("init", "-p", file), /staging\.yaml does not exist: give the URL/)
    }))

  it("begins with an origin: a nearly right address gets a suggestion", () => {
    assert.strictEqual(Result.getOrThrow(tenantUrlIn("https://t1.example:8443/")), "https://t1.example:8443")
    for (const given of ["t1.example", "https://t1.example/openapi/v1", "https://ann:secret@t1.example"]) {
      const url = tenantUrlIn(given)
      assert.match(Result.isFailure(url) ? url.failure : url.success, /did you mean https:\/\/t1\.example\?$/)
    }
  })

  it("lists the missing lines with their places", () => {
    for (const [need, { lines }] of Object.entries(needs)) {
      for (const key of lines.flatMap((line) => Object.keys(parse(`{ ${line} }`)))) {
        assert.isTrue(Object.hasOwn(Profile.fields, key), `${need}: ${key}`)
      }
    }
  })

  it("names an issuer in a file with a certificate, as --ca does", () =>
    inFolder(async (folder) => {
      const issuer = join(folder, "issuer.pem")
      const ways = [
        ["tls.caFile", { ...known, tls: { caFile: "issuer.pem" } }, []],
        ["--ca", known, ["--ca", issuer]]
      ] as const
      for (const [name, profile, flags] of ways) {
        rmSync(issuer, { force: true })
        const args = ["plan", "-p", writeProfile(folder, profile), ...flags]
        assert.include(await refused(...args), `${name} cannot be read`)
        writeFileSync(issuer, "t1.example")
        assert.include(await refused(...args), `${name} contains no PEM certificate`)
        writeFileSync(issuer, "-----BEGIN CERTIFICATE-----\n")
        assert.strictEqual((await commandLine(args)).code, 0)
      }
    }))
})

describe("a usage error", () => {
  it("in a profile's names is reported once, with the intended name", () =>
    inFolder(async (folder) => {
      const file = writeProfile(folder, known)
      writeFileSync(file, readFileSync(file, "utf8").replace("clientSecret", "clientSecrt"))
      const told = await refused("plan", "-p", file)
      assert.strictEqual(
        told.slice(told.indexOf("principals")),
        "principals.admin.oauth.clientSecrt: unknown name; did you mean clientSecret?; " +
          "principals.admin.oauth.clientSecret: is missing"
      )
    }))

  it("in a name under notOffered is reported", () =>
    inFolder(async (folder) => {
      const notOffered = ["legacy usr", "redrive path"]
      const told = await refused("plan", "-p", writeProfile(folder, { ...known, notOffered }))
      assert.match(told, /: notOffered\.0: unknown need; did you mean legacy user\?$/)
    }))

  it("in the Node version is reported before anything else", () => {
    assert.match(complaintAbout("20.20.2") ?? "", /^Node 22\.19 or later is needed; this is 20\.20\.2$/)
    assert.isDefined(complaintAbout("22.18.0"))
    for (const version of ["22.19.0", "24.0.0", process.versions.node]) assert.isUndefined(complaintAbout(version))
  })

  it("in the name of a rule or an area is reported", () =>
    inFolder(async (folder) => {
      const args = ["run", "-p", writeProfile(folder, known), "--only"]
      assert.match(await refused(...args, "OWM"), /did you mean OWN\?$/)
      assert.match(await refused(...args, "OWN-0A"), /did you mean OWN-0\d\?$/)
      assert.match(await refused(...args, "everything"), /the areas are TRN LEG OAU /)
    }))

  it("in the environment is reported with its remedy", () =>
    inFolder(async (folder) => {
      const told = await refused("doctor", "-p", writeProfile(folder, known))
      assert.match(
        told,
        /: CONF_CLIENT_SECRET \(to enter one: read -rs CONF_CLIENT_SECRET; export CONF_CLIENT_SECRET\)$/
      )
    }))
})

describe("an unjudgeable deployment", () => {
  const told = async (command: string, url: string, folder: string) => {
    const profile = writeProfile(folder, initialProfile(url, "acme_oauth_1"))
    const ran = await commandLine(
      [command, "-p", profile, ...(command === "run" ? ["-o", join(folder, "out")] : [])],
      secret
    )
    assert.strictEqual(ran.code, 3, ran.told)
    return ran.told.trimEnd().split("\n").at(-1)
  }
  const refusal = JSON.stringify({ error: "invalid_client" })
  const refusing = (_: unknown, response: ServerResponse) =>
    void response.writeHead(401, { "Content-Type": "application/json" }).end(refusal)
  const cases = [
    ["a page for everything", () => serving(constant["a page and 200"]), /: the server there is not this service: /],
    ["a redirection", () => serving(constant["301"]), /: let API calls pass the proxy without its login/],
    ["a refusal of the client", () => serving(refusing), /: the deployment rejects the OAuth client: /],
    [
      "an untrusted certificate",
      () => servingUntrusted(refusing),
      /: the certificate's issuer is not trusted: .*--ca FILE/
    ],
    ["a server of something else", () => serving(unanswered["speaks no HTTP"]), /: the response is not valid HTTP/],
    ["a failing server", () => serving(constant["500"]), /: the deployment has an internal error: /]
  ] as const

  for (const [name, serve, expected] of cases) {
    it(`is reported with a remedy: ${name}`, () =>
      inFolder(async (folder) => {
        const { down, url } = await serve()
        try {
          for (const command of ["doctor", "run"]) assert.match((await told(command, url, folder)) ?? "", expected)
        } finally {
          down()
        }
      }))
  }

  it("is reported when nothing listens", () =>
    inFolder(async (folder) => {
      assert.match((await told("doctor", "https://localhost:1", folder)) ?? "", /: no server listens there: /)
    }))
})
