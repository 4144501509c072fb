// Addresses: their host, and the documentation sites that the CLI fetches without asking.

const HOSTS = new Set(
  (
    "platform.claude.com code.claude.com modelcontextprotocol.io agentskills.io docs.python.org en.cppreference.com docs.oracle.com " +
    "learn.microsoft.com developer.mozilla.org www.php.net docs.swift.org kotlinlang.org ruby-doc.org doc.rust-lang.org " +
    "www.typescriptlang.org react.dev angular.io vuejs.org nextjs.org expressjs.com nodejs.org bun.sh jquery.com getbootstrap.com " +
    "tailwindcss.com d3js.org threejs.org redux.js.org webpack.js.org jestjs.io reactrouter.com docs.djangoproject.com " +
    "flask.palletsprojects.com fastapi.tiangolo.com pandas.pydata.org numpy.org www.tensorflow.org pytorch.org scikit-learn.org " +
    "matplotlib.org requests.readthedocs.io jupyter.org laravel.com symfony.com docs.spring.io hibernate.org tomcat.apache.org " +
    "gradle.org maven.apache.org asp.net dotnet.microsoft.com blazor.net reactnative.dev docs.flutter.dev developer.apple.com " +
    "developer.android.com keras.io spark.apache.org www.mongodb.com redis.io www.postgresql.org dev.mysql.com www.sqlite.org " +
    "graphql.org prisma.io docs.aws.amazon.com cloud.google.com kubernetes.io www.docker.com www.terraform.io www.ansible.com " +
    "docs.netlify.com devcenter.heroku.com cypress.io selenium.dev docs.unity.com docs.unrealengine.com git-scm.com nginx.org " +
    "httpd.apache.org"
  ).split(" "),
);
const FOLDERS: readonly (readonly [string, string])[] = [
  ["go.dev", "/doc"],
  ["go.dev", "/ref"],
  ["wordpress.org", "/documentation"],
  ["huggingface.co", "/docs"],
  ["www.kaggle.com", "/docs"],
  ["vercel.com", "/docs"],
  ["github.com", "/anthropics"],
];

export interface UrlParts {
  /** In lower case. */
  readonly host: string;
  readonly path: string;
}

/** Undefined: not an address of the web. Written by hand: a pure package has no URL. */
/** Every platform has it. It is neither of Node nor of the DOM. */
declare const URL: new (text: string) => { readonly hostname: string; readonly pathname: string };

export const partsOfUrl = (text: string): UrlParts | undefined => {
  try {
    const { hostname, pathname } = new URL(text);
    return hostname === "" ? undefined : { host: hostname.toLowerCase(), path: pathname };
  } catch {
    // Not an address.
    return undefined;
  }
};

export const isTrustedAddress = (host: string, path: string): boolean => {
  if (HOSTS.has(host)) return true;
  if (/%(?:25)*(?:2f|5c|2e)/iu.test(path) || path.includes("..")) return false;
  return FOLDERS.some(([name, folder]) => host === name && (path === folder || path.startsWith(`${folder}/`)));
};
