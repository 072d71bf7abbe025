import { Token } from 'aws-cdk-lib';
import { invalid } from '../private/validation';

/** A repository of Lustre packages. */
export interface LustreRepositoryProps {
  /** Its address, beginning with https://. */
  readonly url: string;

  /** The exact version to install, for example `2.15.6`. It must be one that was built for the image's kernel. */
  readonly version: string;
}

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
   * @throws when the address is not https, or the version is not exact
   */
  static repository(props: LustreRepositoryProps): LustreSoftware {
    if (!Token.isUnresolved(props.url) && !/^https:\/\/[^\s'"$`\\]+$/.test(props.url)) {
      throw invalid(
        undefined,
        'The Lustre repository',
        props.url,
        'an address that begins with https://',
        'Packages that run as root are not fetched over an open connection; name the https address.',
      );
    }
    if (!Token.isUnresolved(props.version) && !VERSION.test(props.version)) {
      throw invalid(
        undefined,
        'The Lustre version',
        props.version,
        'an exact version, for example 2.15.6',
        'Name the version that was built for the kernel of the image.',
      );
    }
    return new LustreSoftware('repository', props.url, props.version);
  }

  /**
   * The distribution has it; it is installed at first start, in the version that fits the kernel. For clients on Amazon Linux
   * only ("Installing the Lustre client", Amazon FSx for Lustre User Guide): no distribution brings Lustre servers.
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
  ) {}
}
