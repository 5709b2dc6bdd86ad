/** The published form of the conformance suite: packed, installed, and run against a deployment from outside. */
import { execFileSync, spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { parseEnv } from "node:util"
import { root, scratch } from "./Images.ts"

/** Packs the suite and returns the path of the tarball. */
export const pack = (folder: string): string => {
  const args = [".dev/pack/main.ts", "--out", folder, "conformance"]
  return execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }).trim()
}

/** Installs a tarball into a new project and returns the path of the command. */
export const install = (tarball: string): string => {
  const folder = scratch()
  writeFileSync(join(folder, "package.json"), "{}")
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--offline", tarball], { cwd: folder })
  return join(folder, "node_modules/@wcs/conformance/wcs-conformance.js")
}

export interface DeploymentAddresses {
  /** `https://host:port` of the tenant. The second tenant has another host and the same port. */
  readonly url: string
  readonly caFile: string
  /** Addresses of hosts that are not in DNS. */
  readonly resolve: Readonly<Record<string, string>>
  readonly receiver: { readonly host: string; readonly port: number; readonly publicUrl: string }
}

/**
 * Adapts a profile to other addresses, and to a deployment whose processes are killed: allows more calls, and waits
 * longer for a delivery, because another worker first waits until a lease expires.
 */
export const atAddresses = (profileFile: string, addresses: DeploymentAddresses, file: string): string => {
  const profile = JSON.parse(readFileSync(profileFile, "utf8"))
  const second = new URL(addresses.url)
  second.hostname = new URL(profile.secondTenant.tenantBaseUrl).hostname
  const { legacy, newer, run, secondTenant } = profile
  const { otherOrganization } = legacy
  const moved = {
    ...profile,
    newer: { ...newer, tenantBaseUrl: addresses.url, plainHttpUrl: addresses.url.replace("https:", "http:") },
    secondTenant: { ...secondTenant, tenantBaseUrl: second.origin },
    legacy: { ...legacy, baseUrl: addresses.url, otherOrganization: { ...otherOrganization, baseUrl: second.origin } },
    tls: { caFile: addresses.caFile },
    resolve: addresses.resolve,
    receiver: { ...addresses.receiver, timeoutSeconds: 150 },
    run: { ...run, requests: 20_000, secondsInAll: 900 }
  }
  writeFileSync(file, JSON.stringify(moved))
  return file
}

/** A port that is free at all addresses of this machine. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject)
    probe.listen(0, () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })

export interface Judged {
  readonly exitCode: number | null
  readonly said: string
  readonly headline: string
}

/** Judges a deployment with a profile and its file of secrets. */
export const judge = async (main: string, profile: string, secrets: string): Promise<Judged> => {
  const { HOME, PATH } = process.env
  const env = { HOME, PATH, ...parseEnv(readFileSync(secrets, "utf8")) }
  const args = [main, "run", "--profile", profile, "--out", join(scratch(), "report"), "--no-color"]
  const suite = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env })
  const ended = new Promise<number | null>((resolve) => suite.once("close", resolve))
  return judgedFrom(await text(suite.stdout), await ended)
}

/** Parses the output of a run of the suite. */
export const judgedFrom = (said: string, exitCode: number | null): Judged => ({
  exitCode,
  said,
  headline: /^judged .*$/m.exec(said)?.[0] ?? "no headline"
})
