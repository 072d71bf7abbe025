import { Token } from 'aws-cdk-lib';
import { checkArguments } from '../private/inputs/check';
import { invalid } from '../private/validation';

/** A repository of Lustre packages. */
export interface LustreRepositoryProps {
  /** Its address, beginning with https://. */
  readonly url: string;

  /** The exact version to install, for example `2.15.6`. It must be one that was built for the image's kernel. */
  readonly version: string;

  /**
   * Address of the key that signed the packages (or, for Debian and Ubuntu, the repository), beginning with https://.
   * Amazon's repository of clients keeps it in a bucket of its own.
   *
   * @default - `RPM-GPG-KEY` in the repository
   */
  readonly keyUrl?: string;

  /**
   * Suite and components of a repository for Debian or Ubuntu, for example `jammy main`. The RHEL family has none.
   *
   * @default - none: packages and their index lie in one folder
   */
  readonly debianSuite?: string;
}

// One suite, then components, as in a line of sources.list.
const SUITE = /^[a-z0-9][a-z0-9./-]*( [a-z0-9][a-z0-9-]*)+$/;

// A whole version; a wildcard or the word latest would make two servers of one tier differ.
const VERSION = /^\d+\.\d+(\.\d+)*([-_~+.][A-Za-z0-9]+)*$/;

/** How Lustre gets onto a host. */
export class LustreSoftware {
  /** The image carries it: your own image, or one from the Marketplace. */
  static preinstalled(): LustreSoftware {
    return new LustreSoftware('preinstalled', '', '');
  }

  /**
   * A repository has it; it is installed at first start.
   *
   * @throws when an address is not https, the version is not exact, or the suite has no component
   */
  static repository(props: LustreRepositoryProps): LustreSoftware {
    ({ props } = checkArguments('LustreSoftware.repository', { props }));
    requireHttps('The Lustre repository', props.url);
    requireHttps('The key of the Lustre repository', props.keyUrl);
    if (!Token.isUnresolved(props.version) && !VERSION.test(props.version)) {
      throw invalid(
        undefined,
        'The Lustre version',
        props.version,
        'an exact version, for example 2.15.6',
        'Name the version that was built for the kernel of the image.',
      );
    }
    const { debianSuite } = props;
    if (debianSuite !== undefined && !Token.isUnresolved(debianSuite) && !SUITE.test(debianSuite)) {
      throw invalid(
        undefined,
        'The suite of the Lustre repository',
        debianSuite,
        "a suite and its components, for example 'jammy main'",
        'Leave it out where packages and their index lie in one folder.',
      );
    }
    return new LustreSoftware('repository', props.url, props.version, props.keyUrl, debianSuite);
  }

  /**
   * The distribution has it; it is installed at first start, in the version that fits the kernel. For clients on Amazon
   * Linux only ("Installing the Lustre client", Amazon FSx for Lustre User Guide): no distribution brings Lustre
   * servers.
   */
  static distribution(): LustreSoftware {
    return new LustreSoftware('distribution', '', '');
  }

  private constructor(
    /** `preinstalled`, `repository` or `distribution`. */
    readonly source: string,
    /** Address of the repository; empty when there is none. */
    readonly repositoryUrl: string,
    /** Exact version; empty when whatever there is counts. */
    readonly version: string,
    /** Address of the repository's key; undefined when it lies in the repository. */
    readonly keyUrl?: string,
    /** Suite and components for Debian and Ubuntu; undefined when there are none. */
    readonly debianSuite?: string,
  ) {}
}

function requireHttps(what: string, url?: string): void {
  if (url === undefined || Token.isUnresolved(url) || /^https:\/\/[^\s'"$`\\]+$/.test(url)) return;
  throw invalid(
    undefined,
    what,
    url,
    'an address that begins with https://',
    'Packages that run as root are not fetched over an open connection; name the https address.',
  );
}
