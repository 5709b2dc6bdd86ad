import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

const runs = (command: string, ...args: ReadonlyArray<string>): boolean => spawnSync(command, args).status === 0

/** Whether this user can mount file systems. */
export const canMount: boolean = (() => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false
  const path = mkdtempSync(join(tmpdir(), "wcs-mount-"))
  const isMounted = runs("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", path)
  if (isMounted) runs("umount", path)
  rmSync(path, { recursive: true })
  return isMounted
})()

const mount = (...args: ReadonlyArray<string>): void => {
  if (!runs("mount", ...args)) throw new Error(`mount ${args.join(" ")} failed`)
}

/** Mounts on a directory until the scope closes. */
const mounted = (path: string, ...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => mount(...args, path)),
    () => Effect.sync(() => runs("umount", "--lazy", path))
  )

/** Mounts a file system of limited size on a directory. */
export const small = (path: string, size: string) =>
  Effect.as(mounted(path, "-t", "tmpfs", "-o", `size=${size}`, "tmpfs"), {
    grow: (to: string) => Effect.sync(() => mount("-o", `remount,size=${to}`, path))
  })

/** Makes a directory read-only until the scope closes. */
export const readOnly = (path: string) =>
  Effect.andThen(
    mounted(path, "--bind", path),
    Effect.sync(() => mount("-o", "remount,ro,bind", path))
  )
