import { CloseEvent, FormData, Headers, Request, Response } from "undici";

/**
 * Takes `Response` and related classes from the installed undici. Node would load its own copy of undici when one of them is
 * first used: 40 ms and 10 MB. Import this file before any module that uses them.
 */
Object.assign(globalThis, { CloseEvent, FormData, Headers, Request, Response });
