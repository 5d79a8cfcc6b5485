import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import * as os from "os";
import { EOL } from "os";
import * as crypto from "crypto";
import * as fs from "fs";
import { constants, promises } from "fs";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
// node_modules/@actions/core/lib/utils.js
function toCommandValue(input) {
	if (input === null || input === void 0) return "";
	else if (typeof input === "string" || input instanceof String) return input;
	return JSON.stringify(input);
}
function toCommandProperties(annotationProperties) {
	if (!Object.keys(annotationProperties).length) return {};
	return {
		title: annotationProperties.title,
		file: annotationProperties.file,
		line: annotationProperties.startLine,
		endLine: annotationProperties.endLine,
		col: annotationProperties.startColumn,
		endColumn: annotationProperties.endColumn
	};
}
// node_modules/@actions/core/lib/command.js
function issueCommand(command, properties, message) {
	const cmd = new Command(command, properties, message);
	process.stdout.write(cmd.toString() + os.EOL);
}
var CMD_STRING = "::";
var Command = class {
	constructor(command, properties, message) {
		if (!command) command = "missing.command";
		this.command = command;
		this.properties = properties;
		this.message = message;
	}
	toString() {
		let cmdStr = CMD_STRING + this.command;
		if (this.properties && Object.keys(this.properties).length > 0) {
			cmdStr += " ";
			let first = true;
			for (const key in this.properties) if (this.properties.hasOwnProperty(key)) {
				const val = this.properties[key];
				if (val) {
					if (first) first = false;
					else cmdStr += ",";
					cmdStr += `${key}=${escapeProperty(val)}`;
				}
			}
		}
		cmdStr += `${CMD_STRING}${escapeData(this.message)}`;
		return cmdStr;
	}
};
function escapeData(s) {
	return toCommandValue(s).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
}
function escapeProperty(s) {
	return toCommandValue(s).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/:/g, "%3A").replace(/,/g, "%2C");
}
// node_modules/@actions/core/lib/file-command.js
function issueFileCommand(command, message) {
	const filePath = process.env[`GITHUB_${command}`];
	if (!filePath) throw new Error(`Unable to find environment variable for file command ${command}`);
	if (!fs.existsSync(filePath)) throw new Error(`Missing file at path: ${filePath}`);
	fs.appendFileSync(filePath, `${toCommandValue(message)}${os.EOL}`, { encoding: "utf8" });
}
function prepareKeyValueMessage(key, value) {
	const delimiter = `ghadelimiter_${crypto.randomUUID()}`;
	const convertedValue = toCommandValue(value);
	if (key.includes(delimiter)) throw new Error(`Unexpected input: name should not contain the delimiter "${delimiter}"`);
	if (convertedValue.includes(delimiter)) throw new Error(`Unexpected input: value should not contain the delimiter "${delimiter}"`);
	return `${key}<<${delimiter}${os.EOL}${convertedValue}${os.EOL}${delimiter}`;
}
// node_modules/@actions/core/lib/summary.js
var __awaiter$1 = function(thisArg, _arguments, P, generator) {
	function adopt(value) {
		return value instanceof P ? value : new P(function(resolve) {
			resolve(value);
		});
	}
	return new (P || (P = Promise))(function(resolve, reject) {
		function fulfilled(value) {
			try {
				step(generator.next(value));
			} catch (e) {
				reject(e);
			}
		}
		function rejected(value) {
			try {
				step(generator["throw"](value));
			} catch (e) {
				reject(e);
			}
		}
		function step(result) {
			result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected);
		}
		step((generator = generator.apply(thisArg, _arguments || [])).next());
	});
};
var { access, appendFile, writeFile } = promises;
var SUMMARY_ENV_VAR = "GITHUB_STEP_SUMMARY";
var Summary = class {
	constructor() {
		this._buffer = "";
	}
	filePath() {
		return __awaiter$1(this, void 0, void 0, function* () {
			if (this._filePath) return this._filePath;
			const pathFromEnv = process.env[SUMMARY_ENV_VAR];
			if (!pathFromEnv) throw new Error(`Unable to find environment variable for $${SUMMARY_ENV_VAR}. Check if your runtime environment supports job summaries.`);
			try {
				yield access(pathFromEnv, constants.R_OK | constants.W_OK);
			} catch (_a) {
				throw new Error(`Unable to access summary file: '${pathFromEnv}'. Check if the file has correct read/write permissions.`);
			}
			this._filePath = pathFromEnv;
			return this._filePath;
		});
	}
	wrap(tag, content, attrs = {}) {
		const htmlAttrs = Object.entries(attrs).map(([key, value]) => ` ${key}="${value}"`).join("");
		if (!content) return `<${tag}${htmlAttrs}>`;
		return `<${tag}${htmlAttrs}>${content}</${tag}>`;
	}
	write(options) {
		return __awaiter$1(this, void 0, void 0, function* () {
			const overwrite = !!(options === null || options === void 0 ? void 0 : options.overwrite);
			const filePath = yield this.filePath();
			yield (overwrite ? writeFile : appendFile)(filePath, this._buffer, { encoding: "utf8" });
			return this.emptyBuffer();
		});
	}
	clear() {
		return __awaiter$1(this, void 0, void 0, function* () {
			return this.emptyBuffer().write({ overwrite: true });
		});
	}
	stringify() {
		return this._buffer;
	}
	isEmptyBuffer() {
		return this._buffer.length === 0;
	}
	emptyBuffer() {
		this._buffer = "";
		return this;
	}
	addRaw(text, addEOL = false) {
		this._buffer += text;
		return addEOL ? this.addEOL() : this;
	}
	addEOL() {
		return this.addRaw(EOL);
	}
	addCodeBlock(code, lang) {
		const attrs = Object.assign({}, lang && { lang });
		const element = this.wrap("pre", this.wrap("code", code), attrs);
		return this.addRaw(element).addEOL();
	}
	addList(items, ordered = false) {
		const tag = ordered ? "ol" : "ul";
		const listItems = items.map((item) => this.wrap("li", item)).join("");
		const element = this.wrap(tag, listItems);
		return this.addRaw(element).addEOL();
	}
	addTable(rows) {
		const tableBody = rows.map((row) => {
			const cells = row.map((cell) => {
				if (typeof cell === "string") return this.wrap("td", cell);
				const { header, data, colspan, rowspan } = cell;
				const tag = header ? "th" : "td";
				const attrs = Object.assign(Object.assign({}, colspan && { colspan }), rowspan && { rowspan });
				return this.wrap(tag, data, attrs);
			}).join("");
			return this.wrap("tr", cells);
		}).join("");
		const element = this.wrap("table", tableBody);
		return this.addRaw(element).addEOL();
	}
	addDetails(label, content) {
		const element = this.wrap("details", this.wrap("summary", label) + content);
		return this.addRaw(element).addEOL();
	}
	addImage(src, alt, options) {
		const { width, height } = options || {};
		const attrs = Object.assign(Object.assign({}, width && { width }), height && { height });
		const element = this.wrap("img", null, Object.assign({
			src,
			alt
		}, attrs));
		return this.addRaw(element).addEOL();
	}
	addHeading(text, level) {
		const tag = `h${level}`;
		const allowedTag = [
			"h1",
			"h2",
			"h3",
			"h4",
			"h5",
			"h6"
		].includes(tag) ? tag : "h1";
		const element = this.wrap(allowedTag, text);
		return this.addRaw(element).addEOL();
	}
	addSeparator() {
		const element = this.wrap("hr", null);
		return this.addRaw(element).addEOL();
	}
	addBreak() {
		const element = this.wrap("br", null);
		return this.addRaw(element).addEOL();
	}
	addQuote(text, cite) {
		const attrs = Object.assign({}, cite && { cite });
		const element = this.wrap("blockquote", text, attrs);
		return this.addRaw(element).addEOL();
	}
	addLink(text, href) {
		const element = this.wrap("a", text, { href });
		return this.addRaw(element).addEOL();
	}
};
var summary = new Summary();
var ExitCode;
(function(ExitCode) {
	ExitCode[ExitCode["Success"] = 0] = "Success";
	ExitCode[ExitCode["Failure"] = 1] = "Failure";
})(ExitCode || (ExitCode = {}));
function setSecret(secret) {
	issueCommand("add-mask", {}, secret);
}
function getInput(name, options) {
	const val = process.env[`INPUT_${name.replace(/ /g, "_").toUpperCase()}`] || "";
	if (options && options.required && !val) throw new Error(`Input required and not supplied: ${name}`);
	if (options && options.trimWhitespace === false) return val;
	return val.trim();
}
function setOutput(name, value) {
	if (process.env["GITHUB_OUTPUT"] || "") return issueFileCommand("OUTPUT", prepareKeyValueMessage(name, value));
	process.stdout.write(os.EOL);
	issueCommand("set-output", { name }, toCommandValue(value));
}
function error(message, properties = {}) {
	issueCommand("error", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function warning(message, properties = {}) {
	issueCommand("warning", toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
function info(message) {
	process.stdout.write(message + os.EOL);
}
// action/src/inputs.ts
var InputError = class extends Error {
	constructor(..._args) {
		super(..._args);
		this.name = "InputError";
	}
};
function readCommon(read) {
	const url = readRequired(read, "url", "the address of Interlock").replace(/\/+$/, "");
	if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new InputError(`url must be an address such as https://interlock.example.com, not ${url}.`);
	const token = read("token");
	if (token === "") throw new InputError("token is empty. Set it from a secret that this repository has. GitHub gives no secrets to workflows of pull requests from forks.");
	return {
		url,
		token
	};
}
var readers = {
	queue: (read, event) => ({
		command: "queue",
		...readPullRequest(read, event),
		skipLine: readFlag(read, "skip-line"),
		skipLineReason: read("skip-line-reason") || null,
		waitMinutes: readWaitMinutes(read)
	}),
	"affected-targets": (read, event) => ({
		command: "affected-targets",
		...readPullRequest(read, event),
		targets: read("targets-file") === "" ? { list: linesOf(read("targets")) } : { file: read("targets-file") }
	}),
	"register-preview": (read, event) => {
		const number = readNumber(read, event);
		if (number === null && event.branch === null) throw new InputError("pull-request is needed: the event has neither a pull request nor a branch.");
		return {
			command: "register-preview",
			repository: readRepository(read),
			commitSha: readHead(read, event) ?? commitOf(event, number),
			url: readRequired(read, "preview-url", "the address of the preview"),
			of: number === null ? { branch: event.branch ?? "" } : { number },
			name: read("preview-name") || null,
			secrets: Object.fromEntries(linesOf(read("preview-secrets")).map(parseSecret)),
			expiresAt: read("expires-at") || null
		};
	},
	"create-release": (read, event) => ({
		command: "create-release",
		repository: readRepository(read),
		...readCandidate(read),
		commit: read("commit") || event.sha,
		build: readFlag(read, "build"),
		waitMinutes: readWaitMinutes(read)
	}),
	"report-deployment": (read) => ({
		command: "report-deployment",
		...readCandidate(read),
		environment: readRequired(read, "environment", "an environment of the project"),
		status: readStatus(read)
	})
};
function readRequest(read, event) {
	const command = read("command");
	if (!Object.hasOwn(readers, command)) throw new InputError(`command must be one of ${Object.keys(readers).join(", ")}, not ${command === "" ? "an empty text" : command}.`);
	return readers[command](read, event);
}
function linesOf(text) {
	return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}
function targetsOf(text, file) {
	if (!text.trimStart().startsWith("[")) return linesOf(text);
	let list;
	try {
		list = JSON.parse(text);
	} catch {
		list = null;
	}
	if (Array.isArray(list) && list.every((each) => typeof each === "string")) return list;
	throw new InputError(`targets-file: ${file} must have a target on each line, or a JSON list of texts.`);
}
function readRequired(read, name, description) {
	const value = read(name);
	if (value === "") throw new InputError(`${name} is needed for ${read("command") || "every command"}: ${description}.`);
	return value;
}
function readFlag(read, name) {
	const value = read(name).toLowerCase();
	if (value !== "" && value !== "true" && value !== "false") throw new InputError(`${name} must be true or false, not ${value}.`);
	return value === "true";
}
function readRepository(read) {
	const [, org, name] = /^([^/\s]+)\/([^/\s]+)$/.exec(read("repository")) ?? [];
	if (org === void 0 || name === void 0) throw new InputError(`repository must be <owner>/<name>, not ${read("repository") || "an empty text"}.`);
	return {
		org,
		name
	};
}
function readNumber(read, { payload }) {
	const given = read("pull-request");
	if (given === "") return payload.pull_request?.number ?? (payload.issue?.pull_request ? payload.issue.number : null);
	if (!/^#?[1-9]\d{0,8}$/.test(given)) throw new InputError(`pull-request must be a number, not ${given}.`);
	return Number(given.replace("#", ""));
}
function readHead(read, event) {
	const given = read("head-commit-sha");
	const { pull_request: own } = event.payload;
	return given || (own !== void 0 && own.number === readNumber(read, event) ? own.head.sha : null);
}
var eventsOfHeads = [
	"push",
	"workflow_dispatch",
	"deployment",
	"deployment_status"
];
function commitOf({ name, sha }, number) {
	if (number === null || eventsOfHeads.includes(name)) return sha;
	throw new InputError(`head-commit-sha is needed: the event ${name} does not have the head of #${number}. Pass the commit that was deployed.`);
}
function readPullRequest(read, event) {
	const number = readNumber(read, event);
	if (number === null) throw new InputError(`pull-request is needed: the event ${event.name} has no pull request. Pass its number.`);
	return {
		repository: readRepository(read),
		number,
		headCommitSha: readHead(read, event)
	};
}
function readWaitMinutes(read) {
	if (!readFlag(read, "wait")) return null;
	const minutes = Number(read("timeout-minutes") || "60");
	if (minutes > 0 && minutes <= 4320) return minutes;
	throw new InputError(`timeout-minutes must be a number of minutes from 1 to 4320, not ${read("timeout-minutes")}.`);
}
function readCandidate(read) {
	return {
		project: readRequired(read, "project", "a release project"),
		version: readRequired(read, "version", "the version of the candidate, such as 1.4.0-rc1")
	};
}
function parseSecret(line) {
	const [, key, value] = /^([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
	if (key === void 0 || value === void 0) throw new InputError("preview-secrets must have KEY=value on each line.");
	return [key, value];
}
var statuses = [
	"pending",
	"in_progress",
	"success",
	"failure",
	"canceling",
	"canceled",
	"error",
	"unknown"
];
function readStatus(read) {
	const given = readRequired(read, "status", statuses.join(", "));
	const status = given === "cancelled" ? "canceled" : given;
	const known = statuses.find((each) => each === status);
	if (known === void 0) throw new InputError(`status must be one of ${statuses.join(", ")}, not ${given}.`);
	return known;
}
// node_modules/openapi-fetch/dist/index.mjs
var PATH_PARAM_RE = /\{[^{}]+\}/g;
var supportsRequestInitExt = () => {
	return typeof process === "object" && Number.parseInt(process?.versions?.node?.substring(0, 2)) >= 18 && process.versions.undici;
};
function randomID() {
	return Math.random().toString(36).slice(2, 11);
}
function createClient(clientOptions) {
	let { baseUrl = "", Request: CustomRequest = globalThis.Request, fetch: baseFetch = globalThis.fetch, querySerializer: globalQuerySerializer, bodySerializer: globalBodySerializer, pathSerializer: globalPathSerializer, headers: baseHeaders, requestInitExt = void 0, ...baseOptions } = { ...clientOptions };
	requestInitExt = supportsRequestInitExt() ? requestInitExt : void 0;
	baseUrl = removeTrailingSlash(baseUrl);
	const globalMiddlewares = [];
	async function coreFetch(schemaPath, fetchOptions) {
		const { baseUrl: localBaseUrl, fetch = baseFetch, Request = CustomRequest, headers, params = {}, parseAs = "json", querySerializer: requestQuerySerializer, bodySerializer = globalBodySerializer ?? defaultBodySerializer, pathSerializer: requestPathSerializer, body, middleware: requestMiddlewares = [], ...init } = fetchOptions || {};
		let finalBaseUrl = baseUrl;
		if (localBaseUrl) finalBaseUrl = removeTrailingSlash(localBaseUrl) ?? baseUrl;
		let querySerializer = typeof globalQuerySerializer === "function" ? globalQuerySerializer : createQuerySerializer(globalQuerySerializer);
		if (requestQuerySerializer) querySerializer = typeof requestQuerySerializer === "function" ? requestQuerySerializer : createQuerySerializer({
			...typeof globalQuerySerializer === "object" ? globalQuerySerializer : {},
			...requestQuerySerializer
		});
		const pathSerializer = requestPathSerializer || globalPathSerializer || defaultPathSerializer;
		const serializedBody = body === void 0 ? void 0 : bodySerializer(body, mergeHeaders(baseHeaders, headers, params.header));
		const finalHeaders = mergeHeaders(serializedBody === void 0 || serializedBody instanceof FormData ? {} : { "Content-Type": "application/json" }, baseHeaders, headers, params.header);
		const finalMiddlewares = [...globalMiddlewares, ...requestMiddlewares];
		const requestInit = {
			redirect: "follow",
			...baseOptions,
			...init,
			body: serializedBody,
			headers: finalHeaders
		};
		let id;
		let options;
		let request = new Request(createFinalURL(schemaPath, {
			baseUrl: finalBaseUrl,
			params,
			querySerializer,
			pathSerializer
		}), requestInit);
		let response;
		for (const key in init) if (!(key in request)) request[key] = init[key];
		if (finalMiddlewares.length) {
			id = randomID();
			options = Object.freeze({
				baseUrl: finalBaseUrl,
				fetch,
				parseAs,
				querySerializer,
				bodySerializer,
				pathSerializer
			});
			for (const m of finalMiddlewares) if (m && typeof m === "object" && typeof m.onRequest === "function") {
				const result = await m.onRequest({
					request,
					schemaPath,
					params,
					options,
					id
				});
				if (result) {
					if (result instanceof Request) request = result;
					else if (result instanceof Response) {
						response = result;
						break;
					} else throw new Error("onRequest: must return new Request() or Response() when modifying the request");
				}
			}
		}
		if (!response) {
			try {
				response = await fetch(request, requestInitExt);
			} catch (error2) {
				let errorAfterMiddleware = error2;
				if (finalMiddlewares.length) for (let i = finalMiddlewares.length - 1; i >= 0; i--) {
					const m = finalMiddlewares[i];
					if (m && typeof m === "object" && typeof m.onError === "function") {
						const result = await m.onError({
							request,
							error: errorAfterMiddleware,
							schemaPath,
							params,
							options,
							id
						});
						if (result) {
							if (result instanceof Response) {
								errorAfterMiddleware = void 0;
								response = result;
								break;
							}
							if (result instanceof Error) {
								errorAfterMiddleware = result;
								continue;
							}
							throw new Error("onError: must return new Response() or instance of Error");
						}
					}
				}
				if (errorAfterMiddleware) throw errorAfterMiddleware;
			}
			if (finalMiddlewares.length) for (let i = finalMiddlewares.length - 1; i >= 0; i--) {
				const m = finalMiddlewares[i];
				if (m && typeof m === "object" && typeof m.onResponse === "function") {
					const result = await m.onResponse({
						request,
						response,
						schemaPath,
						params,
						options,
						id
					});
					if (result) {
						if (!(result instanceof Response)) throw new Error("onResponse: must return new Response() when modifying the response");
						response = result;
					}
				}
			}
		}
		const contentLength = response.headers.get("Content-Length");
		if (response.status === 204 || request.method === "HEAD" || contentLength === "0" && !response.headers.get("Transfer-Encoding")?.includes("chunked")) return response.ok ? {
			data: void 0,
			response
		} : {
			error: void 0,
			response
		};
		if (response.ok) {
			const getResponseData = async () => {
				if (parseAs === "stream") return response.body;
				if (parseAs === "json" && !contentLength) {
					const raw = await response.text();
					return raw ? JSON.parse(raw) : void 0;
				}
				return await response[parseAs]();
			};
			return {
				data: await getResponseData(),
				response
			};
		}
		let error = await response.text();
		try {
			error = JSON.parse(error);
		} catch {}
		return {
			error,
			response
		};
	}
	return {
		request(method, url, init) {
			return coreFetch(url, {
				...init,
				method: method.toUpperCase()
			});
		},
		GET(url, init) {
			return coreFetch(url, {
				...init,
				method: "GET"
			});
		},
		PUT(url, init) {
			return coreFetch(url, {
				...init,
				method: "PUT"
			});
		},
		POST(url, init) {
			return coreFetch(url, {
				...init,
				method: "POST"
			});
		},
		DELETE(url, init) {
			return coreFetch(url, {
				...init,
				method: "DELETE"
			});
		},
		OPTIONS(url, init) {
			return coreFetch(url, {
				...init,
				method: "OPTIONS"
			});
		},
		HEAD(url, init) {
			return coreFetch(url, {
				...init,
				method: "HEAD"
			});
		},
		PATCH(url, init) {
			return coreFetch(url, {
				...init,
				method: "PATCH"
			});
		},
		TRACE(url, init) {
			return coreFetch(url, {
				...init,
				method: "TRACE"
			});
		},
		use(...middleware) {
			for (const m of middleware) {
				if (!m) continue;
				if (typeof m !== "object" || !("onRequest" in m || "onResponse" in m || "onError" in m)) throw new Error("Middleware must be an object with one of `onRequest()`, `onResponse() or `onError()`");
				globalMiddlewares.push(m);
			}
		},
		eject(...middleware) {
			for (const m of middleware) {
				const i = globalMiddlewares.indexOf(m);
				if (i !== -1) globalMiddlewares.splice(i, 1);
			}
		}
	};
}
function serializePrimitiveParam(name, value, options) {
	if (value === void 0 || value === null) return "";
	if (typeof value === "object") throw new Error("Deeply-nested arrays/objects aren’t supported. Provide your own `querySerializer()` to handle these.");
	return `${name}=${options?.allowReserved === true ? value : encodeURIComponent(value)}`;
}
function serializeObjectParam(name, value, options) {
	if (!value || typeof value !== "object") return "";
	const values = [];
	const joiner = {
		simple: ",",
		label: ".",
		matrix: ";"
	}[options.style] || "&";
	if (options.style !== "deepObject" && options.explode === false) {
		for (const k in value) values.push(k, options.allowReserved === true ? value[k] : encodeURIComponent(value[k]));
		const final2 = values.join(",");
		switch (options.style) {
			case "form": return `${name}=${final2}`;
			case "label": return `.${final2}`;
			case "matrix": return `;${name}=${final2}`;
			default: return final2;
		}
	}
	for (const k in value) {
		const finalName = options.style === "deepObject" ? `${name}[${k}]` : k;
		values.push(serializePrimitiveParam(finalName, value[k], options));
	}
	const final = values.join(joiner);
	return options.style === "label" || options.style === "matrix" ? `${joiner}${final}` : final;
}
function serializeArrayParam(name, value, options) {
	if (!Array.isArray(value)) return "";
	if (options.explode === false) {
		const joiner2 = {
			form: ",",
			spaceDelimited: "%20",
			pipeDelimited: "|"
		}[options.style] || ",";
		const final = (options.allowReserved === true ? value : value.map((v) => encodeURIComponent(v))).join(joiner2);
		switch (options.style) {
			case "simple": return final;
			case "label": return `.${final}`;
			case "matrix": return `;${name}=${final}`;
			default: return `${name}=${final}`;
		}
	}
	const joiner = {
		simple: ",",
		label: ".",
		matrix: ";"
	}[options.style] || "&";
	const values = [];
	for (const v of value) if (options.style === "simple" || options.style === "label") values.push(options.allowReserved === true ? v : encodeURIComponent(v));
	else values.push(serializePrimitiveParam(name, v, options));
	return options.style === "label" || options.style === "matrix" ? `${joiner}${values.join(joiner)}` : values.join(joiner);
}
function createQuerySerializer(options) {
	return function querySerializer(queryParams) {
		const search = [];
		if (queryParams && typeof queryParams === "object") for (const name in queryParams) {
			const value = queryParams[name];
			if (value === void 0 || value === null) continue;
			if (Array.isArray(value)) {
				if (value.length === 0) continue;
				search.push(serializeArrayParam(name, value, {
					style: "form",
					explode: true,
					...options?.array,
					allowReserved: options?.allowReserved || false
				}));
				continue;
			}
			if (typeof value === "object") {
				search.push(serializeObjectParam(name, value, {
					style: "deepObject",
					explode: true,
					...options?.object,
					allowReserved: options?.allowReserved || false
				}));
				continue;
			}
			search.push(serializePrimitiveParam(name, value, options));
		}
		return search.join("&");
	};
}
function defaultPathSerializer(pathname, pathParams) {
	let nextURL = pathname;
	for (const match of pathname.match(PATH_PARAM_RE) ?? []) {
		let name = match.substring(1, match.length - 1);
		let explode = false;
		let style = "simple";
		if (name.endsWith("*")) {
			explode = true;
			name = name.substring(0, name.length - 1);
		}
		if (name.startsWith(".")) {
			style = "label";
			name = name.substring(1);
		} else if (name.startsWith(";")) {
			style = "matrix";
			name = name.substring(1);
		}
		if (!pathParams || pathParams[name] === void 0 || pathParams[name] === null) continue;
		const value = pathParams[name];
		if (Array.isArray(value)) {
			nextURL = nextURL.replace(match, serializeArrayParam(name, value, {
				style,
				explode
			}));
			continue;
		}
		if (typeof value === "object") {
			nextURL = nextURL.replace(match, serializeObjectParam(name, value, {
				style,
				explode
			}));
			continue;
		}
		if (style === "matrix") {
			nextURL = nextURL.replace(match, `;${serializePrimitiveParam(name, value)}`);
			continue;
		}
		nextURL = nextURL.replace(match, style === "label" ? `.${encodeURIComponent(value)}` : encodeURIComponent(value));
	}
	return nextURL;
}
function defaultBodySerializer(body, headers) {
	if (body instanceof FormData) return body;
	if (headers) {
		if ((headers.get instanceof Function ? headers.get("Content-Type") ?? headers.get("content-type") : headers["Content-Type"] ?? headers["content-type"]) === "application/x-www-form-urlencoded") return new URLSearchParams(body).toString();
	}
	return JSON.stringify(body);
}
function createFinalURL(pathname, options) {
	let finalURL = `${options.baseUrl}${pathname}`;
	if (options.params?.path) finalURL = options.pathSerializer(finalURL, options.params.path);
	let search = options.querySerializer(options.params.query ?? {});
	if (search.startsWith("?")) search = search.substring(1);
	if (search) finalURL += `?${search}`;
	return finalURL;
}
function mergeHeaders(...allHeaders) {
	const finalHeaders = new Headers();
	for (const h of allHeaders) {
		if (!h || typeof h !== "object") continue;
		const iterator = h instanceof Headers ? h.entries() : Object.entries(h);
		for (const [k, v] of iterator) if (v === null) finalHeaders.delete(k);
		else if (Array.isArray(v)) for (const v2 of v) finalHeaders.append(k, v2);
		else if (v !== void 0) finalHeaders.set(k, v);
	}
	return finalHeaders;
}
function removeTrailingSlash(url) {
	if (url.endsWith("/")) return url.substring(0, url.length - 1);
	return url;
}
// action/src/service.ts
var Refusal = class extends Error {
	constructor(..._args) {
		super(..._args);
		this.name = "Refusal";
	}
};
var Outage = class extends Refusal {
	constructor(..._args2) {
		super(..._args2);
		this.name = "Outage";
	}
};
var maxAttempts = 5;
var firstWaitMs = 1e3;
var longestWaitMs = 3e4;
var longestAnswerMs = 9e4;
function createService({ url, token, clock, answerWithinMs = longestAnswerMs }) {
	const send = fetchWithRetries(url, {
		clock,
		answerWithinMs
	});
	const headers = {
		authorization: `Bearer ${token}`,
		"user-agent": "interlock-action"
	};
	return {
		rest: createClient({
			baseUrl: url,
			headers,
			fetch: send
		}),
		async query(query, variables) {
			const response = await send(new Request(`${url}/graphql`, {
				method: "POST",
				headers: {
					...headers,
					"content-type": "application/json"
				},
				body: JSON.stringify({
					query,
					variables
				})
			}));
			const answer = await response.json().catch(() => ({}));
			const [first] = answer.errors ?? [];
			if (isBusy(response)) throw first === void 0 ? silent(url, response.status) : new Outage(first.message);
			if (first !== void 0) throw new Refusal(first.message);
			if (answer.data === void 0) throw notInterlock(url, response.status);
			return answer.data;
		}
	};
}
function fetchWithRetries(url, { clock, answerWithinMs }) {
	return async (request) => {
		if (request.method !== "GET") request.headers.set("idempotency-key", randomUUID());
		for (let attempts = 1;; attempts += 1) {
			const response = await fetchWhole(request.clone(), answerWithinMs).catch((error) => error);
			if (response instanceof Error && response.name === "TimeoutError") throw silent(url, `no answer within ${answerWithinMs / 1e3} s`);
			const waitMs = waitAfter(response, attempts);
			if (waitMs === null || attempts === maxAttempts) {
				if (response instanceof Error) throw unreachable(url, response);
				return response;
			}
			await clock.delay(waitMs);
		}
	};
}
async function fetchWhole(request, withinMs) {
	const response = await fetch(request, { signal: AbortSignal.timeout(withinMs) });
	await response.clone().arrayBuffer();
	return response;
}
function waitAfter(response, attempts) {
	const backOffMs = firstWaitMs * 2 ** (attempts - 1);
	if (response instanceof Error) return backOffMs;
	const retryAfter = response.headers.get("retry-after");
	if (!(response.status === 409 && retryAfter !== null) && !isBusy(response)) return null;
	const seconds = Number(retryAfter ?? NaN);
	return Math.min(Number.isNaN(seconds) ? backOffMs : seconds * 1e3, longestWaitMs);
}
function isBusy({ status }) {
	return [
		429,
		502,
		503,
		504
	].includes(status);
}
function unreachable(url, error) {
	const { code, message = error.message } = error.cause ?? {};
	return silent(url, code ?? message);
}
function silent(url, reason) {
	return new Outage(`${url} does not answer (${reason}). Check the input url, and whether this runner can reach this address.`);
}
function notInterlock(url, status) {
	return new Refusal(`${url} answered ${status} and is not Interlock. Set the input url to the address of Interlock, without a path.`);
}
var cures = {
	401: "The token is not valid: make another token, and store it in the secret.",
	403: "Make a token with the permission that the message names.",
	404: "Check the names, and whether the token belongs to the account that has the repository or project."
};
function dataOf({ data, error, response }) {
	if (data !== void 0) return data;
	const body = typeof error === "object" ? error : null;
	const sentence = body?.message ?? body?.error;
	if (sentence === void 0) {
		const { origin } = new URL(response.url);
		throw isBusy(response) ? silent(origin, response.status) : notInterlock(origin, response.status);
	}
	const cure = cures[response.status];
	throw new Refusal([sentence.replace(/\.?$/, "."), ...cure === void 0 ? [] : [cure]].join(" "));
}
// action/src/commands.ts
async function carryOut(request, context) {
	switch (request.command) {
		case "queue": return await queue(request, context);
		case "affected-targets": return await reportTargets(request, context);
		case "register-preview": return await registerPreview(request, context);
		case "create-release": return await createRelease(request, context);
		case "report-deployment": return await reportDeployment(request, context);
		default: return request;
	}
}
var pollEveryMs = 5e3;
async function waitFor({ clock, say }, { minutes, read, isEnded }) {
	const deadline = clock.now() + minutes * 6e4;
	let lastSentence = "";
	for (;;) {
		const state = await readUnlessOut(read);
		const sentence = state instanceof Outage ? `${state.message} The step tries again.` : state.sentence;
		if (sentence !== lastSentence) say(sentence);
		lastSentence = sentence;
		if (!(state instanceof Outage) && isEnded(state)) return state;
		if (clock.now() >= deadline) return null;
		await clock.delay(pollEveryMs);
	}
}
async function readUnlessOut(read) {
	return await read().catch((error) => {
		if (error instanceof Outage) return error;
		throw error;
	});
}
var progressQuery = `query ActionProgress($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { status mergeCommit explain { sentence } } }
}`;
async function readProgress({ service }, { repository, number }) {
	const variables = {
		owner: repository.org,
		name: repository.name,
		number
	};
	const { repository: found } = await service.query(progressQuery, variables);
	if (!found?.pullRequest) throw new Refusal(`${repository.org}/${repository.name} has no pull request #${number}.`);
	const { status, mergeCommit, explain } = found.pullRequest;
	return {
		status: status.toLowerCase(),
		mergeCommit,
		sentence: explain.sentence
	};
}
var statusesOutOfQueue = [
	"merged",
	"blocked",
	"open",
	"closed"
];
async function queue(request, context) {
	const { repository, number, headCommitSha, skipLine, skipLineReason, waitMinutes } = request;
	const read = async () => await readProgress(context, request);
	const answer = await context.service.rest.POST("/api/v1/pull_request", { body: {
		action: "queue",
		pull_request: {
			number,
			repository,
			...headCommitSha !== null && { head_commit_sha: headCommitSha },
			...skipLine && { skip_line: true },
			...skipLineReason !== null && { skip_line_reason: skipLineReason }
		}
	} });
	if (!(answer.response.status === 400 && (await read()).status === "merged")) dataOf(answer);
	const ended = waitMinutes === null ? await read() : await waitFor(context, {
		minutes: waitMinutes,
		read,
		isEnded: ({ status }) => statusesOutOfQueue.includes(status)
	});
	const { status, sentence, mergeCommit } = ended ?? await read();
	const outputs = {
		status,
		sentence,
		"pull-request": String(number),
		"merge-commit": mergeCommit ?? ""
	};
	const title = `#${number} is ${status}`;
	if (ended === null) return {
		isDone: false,
		title,
		sentence: `${sentence} After ${waitMinutes} minutes it is not merged yet. It stays in the queue.`,
		outputs
	};
	return {
		isDone: waitMinutes === null ? status !== "blocked" : status === "merged",
		title,
		sentence: mergeCommit === null ? sentence : `The pull request is merged as ${mergeCommit}.`,
		outputs
	};
}
async function reportTargets(request, { service }) {
	const { repository, number, headCommitSha } = request;
	const targets = "list" in request.targets ? request.targets.list : await readTargets(request.targets.file);
	const { pull_request } = pullRequestIn(dataOf(await service.rest.POST("/api/v1/pull_request", { body: {
		action: "update",
		pull_request: {
			number,
			repository,
			affected_targets: [...targets],
			...headCommitSha !== null && { head_commit_sha: headCommitSha }
		}
	} })));
	const isOne = targets.length === 1;
	const count = isOne ? "1 target" : `${targets.length} targets`;
	const sentence = `${isOne ? "1 affected target is" : `${targets.length} affected targets are`} reported for #${number}.`;
	const outputs = {
		status: pull_request.status,
		sentence,
		"pull-request": String(number)
	};
	return {
		isDone: true,
		title: `#${number} affects ${count}`,
		sentence,
		outputs
	};
}
function pullRequestIn(data) {
	return data;
}
async function readTargets(file) {
	return targetsOf(await readFile(file, "utf8").catch((error) => {
		throw new InputError(`targets-file: ${file} cannot be read (${error.code}). An earlier step must write this file.`);
	}), file);
}
async function registerPreview(request, { service }) {
	const { repository, commitSha, url, name, secrets, expiresAt } = request;
	const { registration_id: id, status, message, expires_at } = dataOf(await service.rest.POST("/api/v1/verify/preview-environment", { body: {
		repository,
		commit_sha: commitSha,
		preview_url: url,
		..."number" in request.of ? { pr_number: request.of.number } : { branch: request.of.branch },
		...name !== null && { name },
		...Object.keys(secrets).length > 0 && { secrets },
		...expiresAt !== null && { expires_at: expiresAt }
	} }));
	const outputs = {
		id,
		status,
		sentence: message,
		"expires-at": expires_at
	};
	return {
		isDone: true,
		title: `The preview of ${commitSha.slice(0, 10)} is registered`,
		sentence: message,
		outputs
	};
}
var candidateQuery = `query ActionCandidate($project: String!, $version: ReleaseCandidateVersion!) {
  releaseProject(name: $project) { releaseCandidate(version: $version) { status errorMessage } }
}`;
async function createRelease(request, context) {
	const { repository, project, version, commit, build, waitMinutes } = request;
	const candidate = dataOf(await context.service.rest.POST("/api/releases/{project_name}/releases/{release_candidate_version}", {
		params: { path: {
			project_name: project,
			release_candidate_version: version
		} },
		body: {
			repo: `${repository.org}/${repository.name}`,
			commit,
			trigger_build_workflow: build
		}
	}));
	const read = async () => {
		const { releaseProject } = await context.service.query(candidateQuery, {
			project,
			version
		});
		const status = releaseProject?.releaseCandidate?.status.toLowerCase() ?? "failed";
		return {
			status,
			sentence: releaseProject?.releaseCandidate?.errorMessage ?? null ?? `${project} ${version} is ${status}.`
		};
	};
	const first = {
		status: candidate.status,
		sentence: `${project} ${version} is ${candidate.status}, at commit ${candidate.commit}.`
	};
	const isEnded = ({ status }) => status !== "building";
	const ended = waitMinutes === null || isEnded(first) ? first : await waitFor(context, {
		minutes: waitMinutes,
		read,
		isEnded
	});
	const { status, sentence } = ended ?? {
		status: "building",
		sentence: `${project} ${version} is still being built after ${waitMinutes} minutes.`
	};
	const outputs = {
		id: candidate.id,
		status,
		sentence,
		version
	};
	return {
		isDone: ended !== null && status !== "failed",
		title: `${project} ${version} is ${status}`,
		sentence,
		outputs
	};
}
async function reportDeployment(request, { service }) {
	const { project, environment, version, status } = request;
	const deployment = dataOf(await service.rest.PATCH("/api/releases/{project_name}/environments/{env_name}/deployments", {
		params: { path: {
			project_name: project,
			env_name: environment
		} },
		body: {
			release_candidate_version: version,
			status
		}
	}));
	const sentence = `The deployment of ${project} ${version} to ${environment} is ${deployment.status}.`;
	const outputs = {
		id: deployment.id,
		status: deployment.status,
		sentence,
		version
	};
	return {
		isDone: true,
		title: `${environment} ${version}: ${deployment.status}`,
		sentence,
		outputs
	};
}
// action/src/main.ts
var clock = {
	now: () => Date.now(),
	delay: async (ms) => await setTimeout(ms)
};
function readEvent(env) {
	const file = env["GITHUB_EVENT_PATH"];
	return {
		name: env["GITHUB_EVENT_NAME"] ?? "unknown",
		payload: file === void 0 ? {} : JSON.parse(readFileSync(file, "utf8")),
		sha: env["GITHUB_SHA"] ?? "",
		branch: env["GITHUB_REF_TYPE"] === "branch" ? env["GITHUB_REF_NAME"] ?? null : null
	};
}
async function runStep() {
	const { url, token } = readCommon(getInput);
	setSecret(token);
	const request = readRequest(getInput, readEvent(process.env));
	if (request.command === "register-preview") {
		for (const secret of Object.values(request.secrets)) if (secret !== "") setSecret(secret);
	}
	if (/^http:\/\/(?!localhost|127\.|\[::1\])/.test(url)) warning(`The token is sent to ${url} without encryption. Use https.`, { title: "Interlock" });
	return await carryOut(request, {
		service: createService({
			url,
			token,
			clock
		}),
		clock,
		say: (line) => info(`Interlock: ${inOneLine(line)}`)
	});
}
function inOneLine(text) {
	return text.replaceAll(/\s+/g, " ");
}
async function report({ isDone, title, sentence, outputs }) {
	for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
	if (isDone) info(`Interlock: ${inOneLine(title)}. ${inOneLine(sentence)}`);
	else fail(title, sentence);
	if (process.env["GITHUB_STEP_SUMMARY"] === void 0) return;
	await summary.addRaw(`<h3>Interlock: ${escaped(title)}</h3>\n<p>${escaped(sentence)}</p>`, true).write();
}
function escaped(text) {
	return inOneLine(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
function fail(title, sentence) {
	process.exitCode = 1;
	error(inOneLine(sentence), { title: `Interlock: ${inOneLine(title)}` });
}
try {
	await report(await runStep());
} catch (failure) {
	if (!(failure instanceof InputError || failure instanceof Refusal)) throw failure;
	await report({
		isDone: false,
		title: `${getInput("command") || "the step"} was refused`,
		sentence: failure.message,
		outputs: {}
	});
}
export {};
