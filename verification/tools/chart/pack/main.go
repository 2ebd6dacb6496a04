// Command pack writes a chart as an archive into a folder, as `helm package` does.
//
//	pack CHART FOLDER
package main

import (
	"fmt"
	"os"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/chart/v2/util"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pack CHART FOLDER")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func pack(chart, folder string) error {
	loaded, err := loader.Load(chart)
	if err != nil {
		return err
	}
	archive, err := util.Save(loaded, folder)
	if err != nil {
		return err
	}
	fmt.Println(archive)
	return nil
}
